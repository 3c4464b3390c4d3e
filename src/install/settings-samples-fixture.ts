// Settings files as people keep them, byte for byte: what init must put its hooks into and give back as it was (A1).

const FOREIGN = '{"type": "command", "command": "./scripts/notify.sh"}';

/** By what is special about each. */
export const SETTINGS_SAMPLES: Readonly<Record<string, string>> = {
  "an empty file": "",
  "white space only": " \n\t\n",
  "CRLF only": "\r\n",
  "an empty object": "{}",
  "an empty object and a line end": "{}\n",
  "an empty object with a space": "{ }\n",
  "an empty object over two lines": "{\n}\n",
  "only hooks, empty": '{"hooks":{}}',
  "hooks empty over lines": '{\n  "hooks": {\n  }\n}\n',
  "hooks empty with a space": '{\n  "model": "opus",\n  "hooks": { }\n}\n',
  "an event that is an empty list": '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
  "an event that is a list with a space, minified": '{"hooks":{"SessionStart":[ ],"Stop":[]}}',
  "a group without handlers": '{\n  "hooks": {\n    "Stop": [{ "hooks": [] }]\n  }\n}\n',
  "foreign hooks on the same events": `{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          ${FOREIGN}
        ]
      }
    ],
    "SessionStart": [
      { "matcher": "startup", "hooks": [${FOREIGN}, ${FOREIGN}] },
      { "matcher": "resume", "hooks": [${FOREIGN}] }
    ]
  }
}
`,
  "foreign hooks on other events": `{"hooks": {"Notification": [{"hooks": [${FOREIGN}]}]}}\n`,
  "foreign hooks in front of other keys": `{
    "hooks": {
        "PostToolUse": [{
            "matcher": "Write",
            "hooks": [${FOREIGN}]
        }]
    },
    "permissions": { "allow": ["Bash(npm test:*)"] }
}
`,
  minified: '{"permissions":{"allow":["Bash(ls:*)"]},"env":{"A":"1"}}',
  "minified with foreign hooks": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]},"model":"x"}`,
  "one line with spaces": '{ "model": "opus", "env": { "A": "1" } }\n',
  tabs: '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"Bash(ls:*)"\n\t\t]\n\t}\n}\n',
  "four spaces": '{\n    "model": "opus",\n    "env": {\n        "A": "1"\n    }\n}\n',
  "one space": '{\n "model": "opus",\n "env": {\n  "A": "1"\n }\n}\n',
  CRLF: '{\r\n  "model": "opus",\r\n  "env": {\r\n    "A": "1"\r\n  }\r\n}\r\n',
  "CRLF and tabs without a final line end": '{\r\n\t"model": "opus"\r\n}',
  "no final line end": '{\n  "model": "opus"\n}',
  "several final line ends": '{\n  "model": "opus"\n}\n\n\n',
  "a byte order mark": '\ufeff{\n  "model": "opus"\n}\n',
  "a byte order mark before nothing": "\ufeff",
  "unicode escapes": '{\n  "a\\u0062c": "\\u00e9\\ud83d\\ude00",\n  "h\\u006foks": {}\n}\n',
  "unicode as it is": '{\n  "größe": "日本語 😀",\n  "\u2028": "line separator"\n}\n',
  "numbers in all spellings":
    '{"a": 1.0, "b": 1e3, "c": -0, "d": 12345678901234567890, "e": 1E+2, "f": 0.10}\n',
  "names given twice": '{\n  "model": "a",\n  "model": "b",\n  "env": {"A": "1", "A": "2"}\n}\n',
  "hooks given twice": `{\n  "hooks": {"Stop": [{"hooks": [${FOREIGN}]}]},\n  "hooks": {"Stop": []}\n}\n`,
  "permissions, env and a status line": `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": [
      "Bash(npm run lint)",
      "Read(~/.zshrc)"
    ],
    "deny": ["Read(./.env)"],
    "defaultMode": "acceptEdits"
  },
  "env": {
    "MAX_THINKING_TOKENS": "31999"
  },
  "statusLine": {
    "type": "command",
    "command": "~/.claude/statusline.sh \\"{}\\" [ ] , : // not a comment /* nor this */"
  },
  "enabledPlugins": {}
}
`,
  "nested lists": '{\n  "x": [[], [[1, [2]], {}], [ ]],\n  "y": [\n    [\n      1\n    ]\n  ]\n}\n',
  "commas in front": '{\n    "a": 1\n  , "b": 2\n  , "c": {}\n}\n',
  "brackets on lines of their own": '{\n  "hooks":\n  {\n    "Stop":\n    [\n    ]\n  }\n}\n',
  "space around colons": '{\n  "model" : "opus",\n  "env" : { "A" : "1" }\n}\n',
  "all at the margin": '{\n"model": "opus",\n"env": {\n"A": "1"\n}\n}\n',
  "blank lines between members": '{\n  "model": "opus",\n\n  "env": {}\n\n}\n',
  "first member on the bracket's line": '{ "model": "opus",\n  "env": {} }\n',
  "strings full of brackets": '{"a": "}]{[\\"\\\\", "b": "\\\\", "c": "hooks\\": {}"}\n',
  "names of Object's own": '{"__proto__": {"x": 1}, "constructor": [], "toString": null}\n',
  "unknown members in hooks":
    '{"hooks": {"description": "ours", "Stop": [{"hooks": [], "extra": 1}], "": []}}\n',
  "description and hooks": '{\n  "description": "team hooks",\n  "hooks": {}\n}\n',
};
