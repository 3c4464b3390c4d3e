// JUnit XML holds whatever an executor says, and stays XML.
import { describe, expect, test } from "vitest";
import { junitReport, xmlText } from "./junit-report.js";
import type { ScenarioResult } from "./run-conformance.js";

const result = (changes: Partial<ScenarioResult>): ScenarioResult => ({
  scenario: "handoff",
  variant: null,
  status: "passed",
  detail: null,
  proves: "x",
  duration_ms: 1234,
  ...changes,
});

describe("O12 text in XML", () => {
  test.each([
    ["a & b < c > d", "a &amp; b &lt; c &gt; d"],
    [`"it's"`, "&quot;it&apos;s&quot;"],
    ["]]> two\nlines\ttabs\r", "]]&gt; two&#10;lines&#9;tabs&#13;"],
    ["bell \u0007 null \u0000 escape \u001b[2J", "bell \uFFFD null \uFFFD escape \uFFFD[2J"],
    ["not characters \uFFFE \uFFFF", "not characters \uFFFD \uFFFD"],
    ["half a pair \uD800 and a whole one \u{1F600}", "half a pair \uFFFD and a whole one \u{1F600}"],
  ])("O12 %j", (text, xml) => {
    expect(xmlText(text)).toBe(xml);
  });
});

test("O12 the document counts what it has, one case a result", () => {
  const xml = junitReport({
    executor: `<x a="1">`,
    capabilities: [],
    results: [
      result({}),
      result({ scenario: "handoff-crash", variant: "begun", status: "failed", detail: "a < b" }),
      result({ scenario: "handoff-late", status: "not-run", detail: "needs stops" }),
    ],
  });
  expect(xml.split("\n")).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites tests="3" failures="1" errors="0" skipped="1" time="3.702">',
    '  <testsuite name="handoff conformance" tests="3" failures="1" errors="0" skipped="1" time="3.702">',
    '    <testcase name="handoff" classname="&lt;x a=&quot;1&quot;&gt;" time="1.234"/>',
    '    <testcase name="handoff-crash (begun)" classname="&lt;x a=&quot;1&quot;&gt;" time="1.234">',
    '      <failure message="a &lt; b">a &lt; b</failure>',
    "    </testcase>",
    '    <testcase name="handoff-late" classname="&lt;x a=&quot;1&quot;&gt;" time="1.234">',
    '      <skipped message="needs stops"/>',
    "    </testcase>",
    "  </testsuite>",
    "</testsuites>",
    "",
  ]);
});
