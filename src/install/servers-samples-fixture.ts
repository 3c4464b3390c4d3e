// Files of tool servers as people keep them, byte for byte: what init must put ours into and give back as it was (A1).

/** By what is special about each. */
export const JSON_SERVERS: Readonly<Record<string, string>> = {
  "an empty file": "",
  "white space only": " \r\n\t\n",
  "a byte order mark before nothing": "\ufeff",
  "an empty object": "{}",
  "an empty object over lines": "{\n}\n",
  "no servers yet, empty": '{"mcpServers":{}}',
  "no servers yet, with a space": '{\n  "mcpServers": { }\n}\n',
  "no servers yet, over lines": '{\n  "mcpServers": {\n  }\n}\n',
  "another server": `{
  "mcpServers": {
    "tickets": {
      "command": "npx",
      "args": ["-y", "tickets-mcp", "handoff"],
      "env": { "URL": "https://example.org" }
    }
  }
}
`,
  "two servers, minified":
    '{"mcpServers":{"a":{"command":"a"},"b":{"type":"http","url":"https://example.org/mcp"}}}',
  "a program's own state around it":
    '{\n  "numStartups": 12,\n  "mcpServers": {\n    "a": { "command": "a" }\n  },\n  "projects": {\n    "/w/handoff": { "mcpServers": {} }\n  }\n}',
  "state without servers": '{\n  "projects": { "/w": { "allowedTools": [] } },\n  "n": 1.0\n}\n',
  "CRLF and tabs": '{\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"command": "a"\r\n\t\t}\r\n\t}\r\n}\r\n',
  "a byte order mark": '\ufeff{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}\n',
  "no final line end": '{\n    "mcpServers": {\n        "a": { "command": "a" }\n    }\n}',
  "servers given twice":
    '{"mcpServers": {"handoff": {"command": "old"}}, "mcpServers": {"a": {"command": "a"}}}\n',
  "commas in front": '{\n    "x": 1\n  , "mcpServers": {\n      "a": {"command": "a"}\n    }\n}\n',
  "a server of a name like ours":
    '{ "mcpServers": { "handoff2": { "command": "handoff", "args": ["serve"] } } }\n',
};

export const TOML_SERVERS: Readonly<Record<string, string>> = {
  "an empty file": "",
  "a line end only": "\n",
  "several line ends": "\n\n\n",
  "blanks only": "  ",
  "a byte order mark before nothing": "\ufeff",
  "a byte order mark": '\ufeffmodel = "gpt-5.5"\n',
  "one pair": 'model = "gpt-5.5"\n',
  "no final line end": 'model = "gpt-5.5"',
  "a blank line at the end": 'model = "gpt-5.5"\n\n',
  "a comment at the end without a line end": 'model = "gpt-5.5" # mine\n# the end',
  CRLF: 'model = "gpt-5.5"\r\n\r\n[features]\r\nplugins = false\r\n',
  "CRLF without a final one": 'model = "gpt-5.5"\r\n[features]\r\nplugins = false',
  "other servers": `[mcp_servers.tickets]
command = "npx"
args = [
  "-y", # yes
  "tickets-mcp", ]

[mcp_servers.tickets.env]
URL = "https://example.org"
`,
  "servers by dotted keys": 'mcp_servers.tickets.command = "npx"\nmcp_servers.tickets.args = ["-y"]\n',
  "servers as inline tables in a table":
    '[mcp_servers]\ntickets = { command = "npx", args = ["handoff", "mcp "] }\n',
  "a table of servers with nothing in it": "[mcp_servers]\n",
  "an array of tables at the end": '[[hooks]]\nname = "a"\n[[hooks]]\nname = "b"\n',
  "strings that look like headers": `about = """
[mcp_servers.handoff]
command = "no"
"""
raw = '''
[mcp_servers.handoff]
''''
short = "[mcp_servers.handoff] # \\" ]"
path = 'C:\\handoff\\mcp'
`,
  "keys in every spelling": '"a.b" = 1\n\'c d\'.e = 2\n[ x . "y z" ]\n"mcp_servers" = 1\n[tui]\n"" = 0\n',
  "values of every kind": `n = 12345678901234567890123
hex = 0xDEADBEEF
f = [1.0, -0.0, 1e9, inf, nan]
d = 1979-05-27T07:32:00.5Z
t = 07:32:00
b = [true, [ [], [{}] ], { x = [ 1 ], y = { z = "}" } }]
multi = [
  1, # ] not the end
  "]",
]
`,
  "projects with odd names":
    '[projects."/home/x y/[p]"]\ntrust_level = "trusted"\n[projects.\'C:\\w\']\ntrust_level = "trusted"\n',
  "blanks in front of everything": '  model = "x"\n\t[features]\n    plugins = true   # yes\n',
};
