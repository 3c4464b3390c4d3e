// The places a string can come from, for the secrets of the corpus (S13, S14).
import { quoteArgv } from "../text/shell-words.js";

const split = (text: string, by: string): string => {
  const middle = Math.floor(text.length / 2);
  return text.slice(0, middle) + by + text.slice(middle);
};

/** argv that holds a whole command line, as it is shown: its quotes are quoted. */
const bash = (line: string): string => quoteArgv(["bash", "-c", line]);
/** The other manners to put a command line into one word. */
const apart = (line: string): string => `bash -c '${line.replaceAll("'", `'"'"'`)}'`;
const double = (line: string): string => `bash -c "${line.replace(/[\\"]/gu, String.raw`\$&`)}"`;

/** The places a string can come from: how a secret with a shape of its own may stand in a text. */
export const PLACES: Readonly<Record<string, (secret: string) => string>> = {
  bare: (s) => s,
  "in a sentence": (s) => `The deploy used ${s} yesterday.`,
  "at the end of a sentence": (s) => `it printed ${s}.`,
  "in JSON": (s) => JSON.stringify({ command: ["deploy", s], exit_code: 1 }),
  "in JSON inside JSON": (s) => JSON.stringify({ log: JSON.stringify({ value: s }) }),
  "in YAML": (s) => `env:\n  VALUE: ${s}\n  OTHER: 1`,
  "in a shell command": (s) => `deploy --to production --with ${s} && echo done`,
  "as an assignment": (s) => `export VALUE=${s}; run`,
  "in a query": (s) => `GET https://example.com/v1/items?a=1&k=${s}&b=2 -> 401`,
  "in argv, quoted": (s) => quoteArgv(["sh", "-c", `echo '${s}' | run "it"`]),
  "in argv, controls quoted": (s) => quoteArgv(["sh", "-c", `echo \u001b[1m${s}\u001b[0m\n`]),
  "in argv in argv, quoted": (s) => bash(bash(`run '${s}' "it's"`)),
  "in argv, quotes apart": (s) => apart(`run '${s}' && echo 'done'`),
  "split by colour": (s) => `got ${split(s, "\u001b[0m\u001b[31;1m")} here`,
  "between colours": (s) => `got \u001b[32m${s}\u001b[0mand went on`,
  "split by a title sequence": (s) => `got ${split(s, "\u001b]0;title\u0007")} here`,
  "split by a zero-width space": (s) => `got ${split(s, "\u200b")} here`,
  "split by a soft hyphen and a word joiner": (s) => `got ${split(s, "\u00ad\u2060")} here`,
  "split by a NUL and a backspace": (s) => `got ${split(s, "\u0000\u0008")} here`,
  "split by colour, written out": (s) => JSON.stringify({ out: `got ${split(s, "\u001b[0m")} here` }),
  "split by a zero-width space, written out": (s) => String.raw`got ${split(s, String.raw`\u200b`)} here`,
  "split by quotes": (s) => `run ${split(s, "''")} now`,
  "split by two kinds of quotes": (s) => `run '${split(s, `'"`)}" now`,
  "split by a continuation": (s) => `run ${split(s, "\\\n")} now`,
  "behind a written line break": (s) => String.raw`first line\n${s}\nthird line`,
  "behind a percent-encoded blank": (s) => `q=a%20${s}%20b`,
  "in parentheses": (s) => `failed (${s}), again`,
  "in a code span": (s) => `set \`${s}\` first`,
  "in angle brackets": (s) => `see <${s}> there`,
  "in a list": (s) => `a,${s},b`,
  "at the end of a line": (s) => `value ${s}\r\nnext`,
  "in a diff": (s) => `-  "x": "y"\n+  "x": "${s}"`,
};

const q = (s: string): string => JSON.stringify(s);

/** Where such a secret is told by what stands before it. Every one takes any of {@link UNSHAPED}. */
export const TELLING_PLACES: Readonly<Record<string, (secret: string) => string>> = {
  "password=": (s) => `password=${s}`,
  "in a sentence": (s) => `it ran with password=${s}, and failed`,
  "PASSWORD= for a command": (s) => `PASSWORD=${s} npm test`,
  "export TOKEN=": (s) => `export GITHUB_TOKEN=${s}`,
  "set on Windows": (s) => `set DB_PASS=${s}`,
  "PowerShell variable": (s) => `$env:API_KEY = "${s}"`,
  "quoted value": (s) => `AWS_SECRET_ACCESS_KEY="${s}"`,
  "single-quoted value": (s) => `CLIENT_SECRET='${s}'`,
  "dotenv file": (s) => `A=1\nSTRIPE_SECRET_KEY=${s}\nB=2`,
  "--password x": (s) => `tool --password ${s} --verbose`,
  "--password=x": (s) => `tool --password=${s} --verbose`,
  "--token x": (s) => `tool --token ${s}`,
  "--api-key=x": (s) => `tool --api-key=${s}`,
  "--api-key 'x'": (s) => `tool --api-key '${s}' sync`,
  "--client-secret x": (s) => `az ad --client-secret ${s} -x`,
  "argv, quoted": (s) => quoteArgv(["tool", "--password", s, "--name", "it's"]),
  "argv, quoted with a blank": (s) => quoteArgv(["tool", `--password=${s} and more`, "x"]),
  "argv inside sh -c": (s) => quoteArgv(["sh", "-c", `echo 'x'; PASSWORD=${s} run`]),
  "argv as JSON": (s) => JSON.stringify(["tool", "--token", s, "-v"]),
  "argv as a Python list": (s) => `['tool', '--password', '${s}']`,
  "JSON field": (s) => JSON.stringify({ password: s, user: "app" }),
  "JSON field, spaced": (s) => JSON.stringify({ apiKey: s }, null, 2),
  "JSON in JSON": (s) => JSON.stringify({ log: JSON.stringify({ client_secret: s }) }),
  "JSON in JSON in JSON": (s) => q(JSON.stringify({ log: JSON.stringify({ access_token: s }) })),
  "YAML field": (s) => `db:\n  password: ${s}\n  port: 5432`,
  "YAML field, quoted": (s) => `api_key: "${s}"`,
  "YAML block": (s) => `password: |\n  ${s}\nport: 1`,
  "pwd=": (s) => `Data Source=db;Uid=app;Pwd=${s};`,
  "YAML list of pairs": (s) => `- name: DB_PASSWORD\n  value: "${s}"`,
  "JSON list of pairs": (s) => JSON.stringify([{ name: "API_TOKEN", value: s }]),
  TOML: (s) => `[auth]\nsecret = "${s}"`,
  INI: (s) => `[db]\npassword = ${s}\n`,
  properties: (s) => `spring.datasource.password=${s}`,
  npmrc: (s) => `//registry.example.com/:_authToken=${s}`,
  "XML element": (s) => `<server><password>${s}</password></server>`,
  "XML attribute": (s) => `<add key="DbPassword" value="${s}" />`,
  "Ruby hash": (s) => `{ 'password' => '${s}' }`,
  "typed constant": (s) => `const apiKey: string = "${s}";`,
  "Python keyword": (s) => `connect(host="db", password="${s}")`,
  "connection string": (s) => `Server=db;User Id=app;Password=${s};Encrypt=true`,
  "Azure storage": (s) =>
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};EndpointSuffix=core.windows.net`,
  "Authorization: Bearer": (s) => `Authorization: Bearer ${s}`,
  "Authorization in curl": (s) => `curl -H 'Authorization: Bearer ${s}' https://example.com`,
  "Authorization in argv": (s) =>
    quoteArgv(["curl", "-H", `Authorization: token ${s}`, "https://example.com"]),
  "Authorization in JSON": (s) => JSON.stringify({ headers: { Authorization: `Bearer ${s}` } }),
  "Authorization in Python": (s) => `python3 -c "print('Authorization: Bearer ${s}'); print('x')"`,
  Basic: (s) => `Authorization: Basic ${s}`,
  "Bearer alone": (s) => `sent Bearer ${s} to the server`,
  "X-Api-Key": (s) => `> X-Api-Key: ${s}\r\n> Accept: */*`,
  "PRIVATE-TOKEN": (s) => `curl --header "PRIVATE-TOKEN: ${s}" https://gitlab.example.com`,
  Cookie: (s) => `Cookie: theme=dark; session=${s}; lang=en`,
  "Set-Cookie": (s) => `< Set-Cookie: sid=${s}; Path=/; HttpOnly`,
  "curl --cookie": (s) => `curl --cookie 'sid=${s}' https://example.com`,
  "URL password": (s) => `postgres://app:${s}@db.example.com:5432/app`,
  "URL password in argv": (s) => quoteArgv(["psql", `postgresql://app:${s}@localhost/app?x=1`]),
  "git remote": (s) => `fatal: unable to access 'https://oauth2:${s}@gitlab.example.com/a.git/'`,
  "redis URL": (s) => `REDIS_URL=redis://:${s}@cache:6379/0`,
  query: (s) => `GET /v1/items?api_key=${encodeURIComponent(s)}&page=2 HTTP/1.1`,
  "curl -u": (s) => `curl -u app:${s} https://example.com`,
  "curl --user": (s) => `curl -sS --user 'app:${s}' https://example.com`,
  "mysql -p": (s) => `mysql -u root -p${s} app < dump.sql`,
  "mysqldump -p in argv": (s) => quoteArgv(["mysqldump", "-uroot", `-p${s}`, "app"]),
  "sshpass -p": (s) => `sshpass -p ${s} ssh root@host`,
  "docker login -p": (s) => `docker login -u app -p ${s} registry.example.com`,
  "redis-cli -a": (s) => `redis-cli -h cache -a ${s} ping`,
  "openssl pass:": (s) => `openssl rsa -in key.pem -passin pass:${s} -out out.pem`,
  SQL: (s) => `CREATE USER app WITH PASSWORD '${s}';`,
  "aws configure": (s) => `aws configure set profile.ci_secret_key="${s}"`,
  "docker -e": (s) => `docker run -e POSTGRES_PASSWORD=${s} -p 5432:5432 postgres`,
  "helm --set": (s) => `helm upgrade app --set db.password=${s},db.user=app`,
  "Java property": (s) => `java -Djavax.net.ssl.keyStorePassword=${s} -jar app.jar`,
  "glued prefix": (s) => `PASSWORD=\${PREFIX}-${s} run`,
  "shell default": (s) => `PASSWORD=\${PASSWORD:-${s}} run`,
  "form body": (s) => `grant_type=password&client_secret=${s}&scope=all`,
  "set in Redis": (s) => `redis-cli set DB_PASSWORD ${s}`,
  "set in fish": (s) => `set -gx API_TOKEN ${s}`,
  "Redis configuration": (s) => `requirepass ${s}`,
  "an arrow": (s) => `SECRET_KEY => ${s}`,
  "an arrow in quotes": (s) => `'SECRET' => '${s}',`,
  "docker login from a pipe": (s) =>
    `echo '${s}' | docker login -u app --password-stdin registry.example.com`,
  "printed for a login": (s) => `printf '%s' "${s}" | gh auth login --with-token`,
  "URL with one slash": (s) => `https:/app:${s}@example.com/x`,
  netrc: (s) => `machine example.com login app password ${s}`,
};

/** Command lines whose password stands in quotes of their own. */
const LINES: Readonly<Record<string, (secret: string) => string>> = {
  "an assignment": (s) => `DB_PASSWORD='${s}' ./run`,
  "an exported one": (s) => `export SECRET_KEY='${s}' && ./run`,
  "one in double quotes": (s) => `export API_TOKEN="${s}"; ./run`,
  "an option": (s) => `tool --password '${s}' --verbose`,
  "an option with a sign": (s) => `tool --password='${s}' --verbose`,
  "a quoted option": (s) => `tool '--password=${s}' --verbose`,
  "a quoted option and value": (s) => `tool '--password' '${s}' --verbose`,
  "mysql -p": (s) => `mysql -uroot -p'${s}' app`,
  "curl -u": (s) => `curl -u 'app:${s}' https://example.com`,
  "docker login": (s) => `docker login -u app -p '${s}' registry.example.com`,
  "a header": (s) => `curl -H 'Authorization: Bearer ${s}' https://example.com`,
  "a Python dict": (s) => `python3 -c "f({'user': 'app', 'password': '${s}'})"`,
  JSON: (s) => `curl -d '{"user": "app", "password": "${s}"}' https://example.com`,
  SQL: (s) => `psql -c "ALTER USER app WITH PASSWORD '${s}';"`,
  "SQL of MySQL": (s) => `mysql -e "CREATE USER app IDENTIFIED BY '${s}';"`,
  "a password from a pipe": (s) => `echo '${s}' | docker login -u app --password-stdin`,
  "a URL": (s) => `psql 'postgres://app:${s}@db/app' -c 'select 1'`,
  "ANSI-C quotes": (s) => `PASSWORD=$'${s}' ./run`,
};
const LEVELS: Readonly<Record<string, (line: string) => string>> = {
  "as it is": (line) => line,
  "in argv": bash,
  "in argv in argv": (line) => bash(bash(line)),
  "in argv three levels deep": (line) => bash(bash(bash(line))),
  "in argv with a line break": (line) => bash(`${line}\n`),
  "in argv with a line break, in argv": (line) => bash(bash(`${line}\n`)),
  "with quotes apart": apart,
  "with quotes apart, in argv": (line) => bash(apart(line)),
  "in double quotes": double,
  "in double quotes twice": (line) => double(double(line)),
  "in double quotes in argv": (line) => bash(double(line)),
  "in argv in double quotes": (line) => double(bash(line)),
  "in argv, in JSON": (line) => JSON.stringify({ command: bash(line) }),
  "in argv in argv, in JSON": (line) => JSON.stringify({ command: bash(bash(line)) }),
};

/** Every one of these lines in every level of quoting: the secret alone gives way to its mark, the quoting stays whole. */
export const QUOTED_PLACES: Readonly<Record<string, (secret: string) => string>> = Object.fromEntries(
  Object.entries(LINES).flatMap(([what, line]) =>
    Object.entries(LEVELS).map(([how, level]) => [`${what}, ${how}`, (s: string) => level(line(s))]),
  ),
);
