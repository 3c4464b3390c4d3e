// R16: the reply to the writing turn, in every shape agents give it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSections, type Sections, whyUnusable } from "./parse-sections.js";
import { foldHeading, SECTION_NAMES, sectionAliases, sectionOf } from "./section-aliases.js";
import { writingPrompt } from "./writing-prompt.js";

const FILLED: Sections = {
  doing: "fixing the parser",
  decided: "- keep zod",
  dead_ends: "none",
  next: "run npm test",
  scene: "src/parse.ts",
};
const TITLES = { doing: "Doing", decided: "Decided", dead_ends: "Dead ends", next: "Next", scene: "Scene" };

/** A reply with a heading of this shape before every section. */
function reply(shape: (title: string, content: string, number: number) => string): string {
  return SECTION_NAMES.map((name, i) => shape(TITLES[name], FILLED[name] ?? "", i + 1)).join("\n");
}

describe("R16 shapes of headings", () => {
  test.each<[string, (title: string, content: string, number: number) => string]>([
    ["## X", (t, c) => `## ${t}\n${c}\n`],
    ["# X #", (t, c) => `# ${t} #\n\n${c}\n`],
    ["###X", (t, c) => `###${t}\n${c}`],
    ["## X:", (t, c) => `## ${t}:\n${c}`],
    ["## 1. X", (t, c, n) => `## ${n}. ${t}\n${c}`],
    ["## **X**", (t, c) => `## **${t}**\n${c}`],
    ["## X (aside)", (t, c) => `## ${t} (with why)\n${c}`],
    ["## with a sign", (t, c) => `## 🎯 ${t}\n${c}`],
    ["## X: text", (t, c) => `## ${t}: ${c}`],
    ["## X — text", (t, c) => `## ${t} — ${c}`],
    ["**X**", (t, c) => `**${t}**\n${c}`],
    ["**X:** text", (t, c) => `**${t}:** ${c}`],
    ["**X**: text", (t, c) => `**${t}**: ${c}`],
    ["**X: text**", (t, c) => `**${t}: ${c}**`],
    ["1. **X** - text", (t, c, n) => `${n}. **${t}** - ${c}`],
    ["- **X**: text", (t, c) => `- **${t}**: ${c}`],
    ["__X__", (t, c) => `__${t}__\n${c}`],
    ["__X__: text", (t, c) => `__${t}__: ${c}`],
    ["X:", (t, c) => `${t}:\n${c}`],
    ["X: text", (t, c) => `${t}: ${c}`],
    ["X in small letters: text", (t, c) => `${t.toLowerCase()}: ${c}`],
    ["X IN CAPITALS: text", (t, c) => `${t.toUpperCase()}: ${c}`],
    ["X：text", (t, c) => `${t}：${c}`],
    ["1. X", (t, c, n) => `${n}. ${t}\n${c}`],
    ["1) X: text", (t, c, n) => `${n}) ${t}: ${c}`],
    ["X alone", (t, c) => `${t}\n${c}\n`],
    ["X underlined", (t, c) => `${t}\n=====\n${c}\n`],
    ["- X: text", (t, c) => `- ${t}: ${c}`],
    ["> ## X", (t, c) => `> ## ${t}\n${c}`],
    ["*X:* text", (t, c) => `*${t}:* ${c}`],
    ["*X*", (t, c) => `*${t}*\n${c}\n`],
    ["`X`: text", (t, c) => `\`${t}\`: ${c}`],
    ["[X]", (t, c) => `[${t}]\n${c}\n`],
    ["X — text", (t, c) => `${t} — ${c}`],
    ["IV. X", (t, c, n) => `${["I", "II", "III", "IV", "V"][n - 1]}. ${t}\n${c}`],
    ["## Section 1: X", (t, c, n) => `## Section ${n}: ${t}\n${c}`],
    ["## X / another name", (t, c) => `## ${t} / in other words\n${c}`],
  ])("%s", (_name, shape) => {
    expect(parseSections(reply(shape))).toEqual({ sections: FILLED, missing: [] });
  });

  test("all of them in one reply", () => {
    const mixed = "Here it is.\n\n## Doing\na\n**Decided**\nb\n__Dead ends__: none\nNext: c\n5. Scene\nd\n";
    expect(parseSections(mixed).sections).toEqual({
      doing: "a",
      decided: "b",
      dead_ends: "none",
      next: "c",
      scene: "d",
    });
  });

  test("with carriage returns, colours and rules between", () => {
    const text = reply((t, c) => `\u001b[1m## ${t}\u001b[0m\r\n${c}\r\n\r\n---\r\n`);
    expect(parseSections(text).sections).toEqual(FILLED);
  });
});

describe("R16 what is no heading", () => {
  test.each([
    "Next I will look at the scene and what was decided.",
    "I decided: no cache. What is doing: nothing.",
    "**Next** we shall see.",
    "## What happens next in the parser",
    "Decided against Redis: too heavy",
    "the next: a word in a sentence",
    "#next",
    "Doing this: breaks the build",
    "[next](https://example.com) has the rest",
    "`next` is what the iterator calls",
    "*Next* we shall see.",
    "Next - and this is a thought - it may break.",
    "src/next: a path",
    "next/router: a path",
  ])("%s", (line) => {
    const { sections } = parseSections(`## Doing\nd\n\n${line}\n\n## Next\nn`);
    expect(sections.next).toBe("n");
    expect(Object.values(sections).filter((text) => text !== null)).toHaveLength(2);
  });

  test("a plain word stays text where its section has a marked heading", () => {
    const { sections } = parseSections(
      "## Doing\nd\n## Decided\nFiles: keep them small\n## Next\nn\n## Scene\nsrc/a.ts",
    );
    expect(sections).toMatchObject({ decided: "Files: keep them small", scene: "src/a.ts" });
  });

  test("a heading of something else ends the section", () => {
    const { sections } = parseSections(
      "## Doing\nd\n### detail\nmore\n## Next\nn\n## Notes\nnothing of this\n",
    );
    expect(sections).toMatchObject({ doing: "d\n### detail\nmore", next: "n" });
  });
});

describe("R16 fences", () => {
  test("around the whole answer are stripped", () => {
    const text = `Sure:\n\n\`\`\`markdown\n${reply((t, c) => `## ${t}\n${c}\n`)}\n\`\`\`\n`;
    expect(parseSections(text).sections).toEqual(FILLED);
  });
  test("inside a section are stripped, and what they hold is no heading", () => {
    const text =
      "## Doing\nd\n\n## Next\nRun:\n\n```sh\n# next: this is a comment\nnpm test\n```\n\n## Scene\nsrc";
    expect(parseSections(text).sections).toMatchObject({
      next: "Run:\n\n# next: this is a comment\nnpm test",
      scene: "src",
    });
  });
  test("in a fence around the answer", () => {
    const text = "~~~\n## Doing\nd\n## Next\n```sh\nnpm test\n```\n## Scene\nsrc\n~~~";
    expect(parseSections(text).sections).toMatchObject({ doing: "d", next: "npm test", scene: "src" });
  });
  test("that are never closed do not swallow the rest", () => {
    expect(parseSections("```\n## Doing\nd\n## Next\nn").missing).toEqual([]);
  });
});

describe("R16 what is required, and what comes twice", () => {
  test("the first that says something wins", () => {
    const { sections } = parseSections(
      "## Doing\n\n## Next\nTBD\n## Doing\nfirst\n## Doing\nsecond\n## Next\nrun it",
    );
    expect(sections).toMatchObject({ doing: "first", next: "run it" });
  });
  test.each<[string, string[]]>([
    ["", ["doing", "next"]],
    ["I have finished everything, well done me.", ["doing", "next"]],
    ["## Doing\nd", ["next"]],
    ["## Next\nn", ["doing"]],
    ["## Doing\nnone\n## Next\nn/a", ["doing", "next"]],
    ["## Doing\nd\n## Next\nn", []],
  ])("%j misses %j", (text, missing) => {
    expect(parseSections(text).missing).toEqual(missing);
  });
  test.each([
    ["", "no_reply"],
    ["API Error: 529", "no_reply"],
    ["## Doing\nd", "section_missing"],
    ["## Scene\ns", "section_missing"],
    ["Doing: d\nNext: n", null],
  ])("R18 %j is of no use because of %s", (text, why) => {
    expect(whyUnusable(parseSections(text))).toBe(why);
  });
  test("R14 the prompt's own headings are understood", () => {
    expect(parseSections(writingPrompt({ used: 1, total: 2 })).missing).toEqual([]);
  });
});

describe("R16 languages", () => {
  test.each<[string, string]>([
    [
      "de",
      "## Woran ich arbeite\nd\n## Entscheidungen\nb\n## Sackgassen\nkeine\n## Nächster Schritt\nn\n## Dateien\ns",
    ],
    [
      "fr",
      "**En cours** : d\n**Décisions** : b\n**Impasses** : aucune\n**Prochaine étape** : n\n**Fichiers** : s",
    ],
    ["es", "En curso: d\nDecisiones: b\nCallejones sin salida: ninguno\nPróximo paso: n\nArchivos: s"],
    [
      "pt",
      "## Em andamento\nd\n## Decisões\nb\n## Becos sem saída\nnenhum\n## Próximo passo\nn\n## Arquivos\ns",
    ],
    ["it", "## In corso\nd\n## Decisioni\nb\n## Vicoli ciechi\nnessuno\n## Prossimo passo\nn\n## Scena\ns"],
    [
      "nl",
      "## Bezig met\nd\n## Besloten\nb\n## Doodlopende wegen\ngeen\n## Volgende stap\nn\n## Bestanden\ns",
    ],
    ["pl", "## W toku\nd\n## Decyzje\nb\n## Ślepe zaułki\nbrak\n## Następny krok\nn\n## Pliki\ns"],
    ["ru", "## В работе\nd\n## Решения\nb\n## Тупики\nнет\n## Следующий шаг\nn\n## Файлы\ns"],
    ["uk", "## У роботі\nd\n## Рішення\nb\n## Глухі кути\nнемає\n## Наступний крок\nn\n## Файли\ns"],
    ["tr", "## Yapılıyor\nd\n## Kararlar\nb\n## Çıkmaz sokaklar\nyok\n## Sonraki adım\nn\n## Dosyalar\ns"],
    ["ja", "## 作業中\nd\n## 決定事項\nb\n## 行き止まり\nなし\n## 次のステップ\nn\n## 関連ファイル\ns"],
    ["ko", "## 진행 중\nd\n## 결정 사항\nb\n## 막다른 길\n없음\n## 다음 단계\nn\n## 관련 파일\ns"],
    ["zh", "正在做：d\n已决定：b\n死路：无\n下一步：n\n相关文件：s"],
    [
      "zh, asked as it was",
      "## 正在做什么\nd\n## 做了哪些决定\nb\n## 走不通的路\n无\n## 下一步做什么\nn\n## 现场\ns",
    ],
    [
      "de, another way",
      "## Aktueller Stand\nd\n## Festgelegt\nb\n## Fehlversuche\nkeine\n## Als Nächstes\nn\n## Pfade\ns",
    ],
    [
      "en, another way",
      "## Current status\nd\n## Decisions so far\nb\n## Failed approaches\nnone\n## What comes next\nn\n## File paths\ns",
    ],
    [
      "ja, another way",
      "## 現在の状況\nd\n## 決めたこと\nb\n## 失敗したこと\nなし\n## 次にすること\nn\n## ファイル\ns",
    ],
    [
      "ko, another way",
      "## 현재 상태\nd\n## 결정된 사항\nb\n## 실패한 시도\n없음\n## 다음에 할 일\nn\n## 경로\ns",
    ],
  ])("%s", (_language, text) => {
    const { sections, missing } = parseSections(text);
    expect(missing).toEqual([]);
    expect(sections).toMatchObject({ doing: "d", decided: "b", next: "n", scene: "s" });
    expect(sections.dead_ends).not.toBeNull();
  });

  test("no heading stands for two sections, and each is found as written, in any case", () => {
    const claims = new Map<string, string>();
    for (const [alias, section] of sectionAliases()) {
      const folded = foldHeading(alias);
      expect([alias, claims.get(folded) ?? section]).toEqual([alias, section]);
      claims.set(folded, section);
      for (const spelt of [alias, alias.normalize("NFD"), alias.toUpperCase()])
        expect([spelt, sectionOf(spelt)]).toEqual([spelt, section]);
    }
    expect(claims.size).toBeGreaterThan(400);
  });
});

describe("R16 any text is fine", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "## Doing\n",
      "**Next**",
      "Scene: ",
      "```",
      "~~~\n",
      "\n",
      "1. ",
      "- ",
      "#",
      "__",
      "：",
      "---\n",
      "> ",
    ),
    fc.string({ unit: "binary", maxLength: 20 }),
  );
  test("it never throws, and says of a section either text or null", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { sections, missing } = parseSections(pieces.join(""));
        for (const name of SECTION_NAMES) expect(sections[name] === null || sections[name] !== "").toBe(true);
        expect(missing).toEqual((["doing", "next"] as const).filter((name) => sections[name] === null));
      }),
    );
  });
  test("what is under a heading comes back", () => {
    const word = fc
      .stringMatching(/^[a-z]{3,8}( [a-z]{3,8}){0,3}$/u)
      .filter((text) => sectionOf(text) === null);
    fc.assert(
      fc.property(word, word, (doing, next) => {
        fc.pre(parseSections(`## Doing\n${doing}\n## Next\n${next}`).missing.length === 0);
        expect(parseSections(`## Doing\n${doing}\n## Next\n${next}`).sections).toMatchObject({ doing, next });
      }),
    );
  });
  test("a large hostile reply is read in one go", () => {
    // One that backtracks or pairs fences by searching would not end within the test's time.
    for (const part of [
      "```a\n",
      "## Doing\n",
      " ",
      "**Doing",
      "- ",
      "1. Next: x\n",
      "-",
      "> ",
      "\n",
      "Next:",
      "```\n## Doing\n## Next\n",
    ]) {
      const text = `${part.repeat(Math.ceil(400_000 / part.length))}\n## Doing\nd\n## Next\nn`;
      expect(parseSections(text).missing.length).toBeLessThanOrEqual(2);
    }
  });
});
