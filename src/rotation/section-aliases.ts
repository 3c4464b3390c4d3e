// The headings under which a session may answer the writing turn (R16), in the languages agents are spoken to in.

/** What the writing turn asks for (R14). */
export const SECTION_NAMES = ["doing", "decided", "dead_ends", "next", "scene"] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

/** Headings by section; one language a line, comma-separated: en, de, fr, es, pt, it, nl, sv/da/no, pl, cs, ru, uk, tr, ja, ko, zh, others. */
const ALIASES: Readonly<Record<SectionName, readonly string[]>> = {
  doing: [
    "doing, currently doing, current work, current task, current state, in progress, work in progress, working on, what i am doing, what im doing, what i was doing, what was being done, under way, status, current status, currently, currently working on, doing now, now doing, current activity, progress, current progress, what i was working on, what im working on, what we are doing",
    "woran ich arbeite, in arbeit, laufende arbeit, aktuelle arbeit, aktuelle aufgabe, was ich tue, was ich gerade tue, derzeit, gerade, tätigkeit, stand, aktueller stand, gerade dabei, dabei, woran ich gerade arbeite, aktueller status, aktuell",
    "en cours, travail en cours, ce que je fais, tâche en cours, travail actuel, ce que je faisais, état actuel, travail courant, tâche actuelle",
    "haciendo, en curso, trabajo en curso, en progreso, trabajo actual, lo que estoy haciendo, qué estoy haciendo, estado actual, en qué estoy, lo que estaba haciendo, tarea actual, actualmente",
    "fazendo, em andamento, trabalho em andamento, em curso, trabalho atual, o que estou fazendo, a fazer agora, estado atual, tarefa atual, o que estava fazendo, atualmente",
    "in corso, lavoro in corso, cosa sto facendo, sto facendo, attività in corso, stato attuale, cosa stavo facendo, attualmente",
    "bezig, bezig met, mee bezig, waar ik mee bezig ben, huidig werk, lopend werk, huidige stand, waar ik mee bezig was",
    "pågår, pågående, pågående arbete, jag gör, i gang, igangværende, pågående arbeid",
    "robię, co robię, w toku, w trakcie, bieżąca praca, bieżące zadanie, aktualny stan, obecnie, co robiłem",
    "dělám, co dělám, probíhá, rozpracováno",
    "делаю, что делаю, в работе, текущая работа, текущая задача, сейчас, текущее состояние, в процессе, что делал, чем занимаюсь",
    "роблю, що роблю, у роботі, поточна робота, зараз",
    "yapılıyor, yapıyorum, ne yapıyorum, devam eden, devam eden iş, mevcut iş, şu an",
    "作業中, 作業内容, 進行中, 現在の作業, やっていること, 実施中, 取り組んでいること, 現在の状況, 進行状況, 現状, 進捗, 作業状況",
    "진행 중, 진행중, 작업 중, 현재 작업, 하는 일, 하고 있는 일, 현재 상태, 하고 있던 일, 진행 상황, 현재 작업 중",
    "正在做, 正在进行, 正在做的事, 进行中, 当前工作, 当前任务, 目前工作, 在做什么, 正在進行, 當前工作, 目前進度, 正在做什么, 在做, 正在做的事情, 当前状态, 当前, 当前进度, 进展, 現況, 正在做什麼, 目前狀態",
    "tekeillä, meneillään, folyamatban, în lucru, σε εξέλιξη, đang làm, sedang dikerjakan, قيد التنفيذ, בעבודה, अभी क्या हो रहा है",
  ],
  decided: [
    "decided, decisions, decision, decisions made, key decisions, what was decided, what i decided, choices, what we decided, decisions so far, decisions and rationale, decisions and reasons, already decided, decisions taken",
    "entschieden, entscheidungen, entscheidung, beschlossen, beschlüsse, getroffene entscheidungen, was entschieden ist, was entschieden wurde, festgelegt",
    "décidé, décisions, décision, décisions prises, choix, ce qui est décidé, choix faits",
    "decidido, decisiones, decisión, decisiones tomadas",
    "decidido, decisões, decisão, decisões tomadas",
    "deciso, decisioni, decisione, decisioni prese",
    "besloten, beslissingen, beslissing, besluiten, besluit",
    "beslutat, beslut, besluttet, beslutninger, beslutning",
    "postanowiono, zdecydowano, decyzje, decyzja, ustalenia",
    "rozhodnuto, rozhodnutí",
    "решено, решения, решение, принятые решения, что решено, решили",
    "вирішено, рішення, прийняті рішення",
    "kararlar, karar, karar verildi, alınan kararlar",
    "決定, 決定事項, 決めたこと, 決まったこと, 決まった事, 決定したこと",
    "결정, 결정 사항, 결정사항, 결정됨, 결정한 것, 결정된 사항, 결정한 사항",
    "已决定, 决定, 决策, 已做决定, 已做的决定, 已決定, 決策, 做了哪些决定, 已经决定的, 决定了什么, 定了, 已定, 已做出的决定, 决策及原因, 已做的決定",
    "päätetty, päätökset, eldöntve, döntések, decizii, αποφάσεις, đã quyết định, quyết định, diputuskan, keputusan, القرارات, החלטות, निर्णय",
  ],
  dead_ends: [
    "dead ends, dead end, deadends, failed attempts, what failed, what did not work, what didnt work, tried and failed, did not work, abandoned approaches, failed approaches, things that failed, things that did not work, things that didnt work, what has not worked, approaches that failed, ruled out",
    "sackgassen, sackgasse, fehlversuche, irrwege, gescheiterte versuche, was nicht funktioniert hat, was nicht ging",
    "impasses, impasse, voies sans issue, culs de sac, échecs, tentatives échouées, pistes abandonnées",
    "callejones sin salida, callejón sin salida, vías muertas, intentos fallidos, lo que no funcionó, sin salida, qué no funcionó",
    "becos sem saída, beco sem saída, tentativas fracassadas, tentativas falhadas, o que não funcionou",
    "vicoli ciechi, vicolo cieco, tentativi falliti, cosa non ha funzionato",
    "doodlopende wegen, doodlopende weg, doodlopende sporen, mislukte pogingen, wat niet werkte",
    "återvändsgränder, återvändsgränd, misslyckade försök, blindgyder, blindgyde, blindveier",
    "ślepe zaułki, ślepy zaułek, ślepe uliczki, nieudane próby",
    "slepé uličky, slepá ulička, neúspěšné pokusy",
    "тупики, тупик, неудачные попытки, что не сработало, неудачи, что не получилось",
    "глухі кути, глухий кут, невдалі спроби",
    "çıkmaz sokaklar, çıkmaz sokak, çıkmazlar, başarısız denemeler, işe yaramayanlar",
    "行き止まり, 袋小路, 失敗した試み, うまくいかなかったこと, 試して失敗したこと, 失敗, 失敗したこと, 試したがだめだったこと",
    "막다른 길, 막힌 길, 실패한 시도, 실패한 시도들",
    "死路, 死胡同, 行不通, 行不通的路, 走不通的路, 失败尝试, 失败的尝试, 此路不通, 失敗嘗試, 失敗的嘗試, 失败, 试过但不行的, 失败的路, 走不通, 试过不行的, 踩过的坑",
    "umpikujat, zsákutcák, fundături, αδιέξοδα, ngõ cụt, jalan buntu, طرق مسدودة, מבוי סתום, बंद रास्ते",
  ],
  next: [
    "next, next step, next steps, next action, next actions, what next, whats next, what to do next, to do next, next up, todo, to do, immediate next step, what comes next, next task, next tasks, immediate next action, the next step, the next action, do next, next move",
    "nächstes, als nächstes, nächster schritt, nächste schritte, nächste aktion, weiter, weiteres vorgehen, was als nächstes zu tun ist, der nächste schritt, als nächstes zu tun",
    "suite, ensuite, à suivre, prochaine étape, prochaines étapes, étape suivante, étapes suivantes, prochaine action, à faire, la suite, prochaine tâche",
    "siguiente, siguiente paso, siguientes pasos, próximo, próximo paso, próximos pasos, próxima acción, siguiente acción, a continuación",
    "próximo, próximo passo, próximos passos, a seguir, próxima ação, passo seguinte, seguinte",
    "prossimo, prossimo passo, prossimi passi, prossima azione, passo successivo, cosa fare dopo",
    "volgende, volgende stap, volgende stappen, volgende actie, hierna, vervolg",
    "nästa, nästa steg, næste, næste skridt, næste trin, neste, neste steg",
    "dalej, następny krok, następne kroki, kolejny krok, kolejne kroki, następnie, co dalej",
    "další, další krok, další kroky, co dál",
    "дальше, далее, следующий шаг, следующие шаги, следующее, следующее действие, что дальше",
    "далі, наступний крок, наступні кроки, наступна дія, що далі",
    "sonraki, sonraki adım, sonraki adımlar, sıradaki, sıradaki adım, bundan sonra",
    "次, 次の一手, 次のステップ, 次にやること, 次の作業, 次のアクション, 次の行動, 次にすること, 次のタスク, 次にすべきこと",
    "다음, 다음 단계, 다음 작업, 다음 할 일, 다음 행동, 다음에 할 일, 다음 조치, 다음 스텝",
    "下一步, 接下来, 后续, 后续步骤, 下一步行动, 下一步操作, 接下來, 後續, 下一步行動, 下一步计划, 接下来要做的, 下一步做什么, 接下来做什么, 下一步要做什么, 下一步該做什麼, 待办",
    "seuraavaksi, seuraava askel, következő, következő lépés, următorul pas, επόμενο, επόμενο βήμα, tiếp theo, bước tiếp theo, berikutnya, langkah berikutnya, selanjutnya, التالي, الخطوة التالية, הצעד הבא, अगला कदम",
  ],
  scene: [
    "scene, the scene, files, paths, where to look, relevant files, key files, files to look at, important files, locations, pointers, relevant paths, file paths, key paths, scene and files, scene files, where things are, files and paths, paths to look at, relevant locations",
    "szene, schauplatz, dateien, pfade, fundorte, relevante dateien, wichtige dateien, wo nachzusehen ist",
    "scène, fichiers, chemins, emplacements, fichiers concernés, fichiers pertinents, où regarder",
    "escena, archivos, ficheros, rutas, archivos relevantes, dónde mirar",
    "cena, cenário, arquivos, ficheiros, caminhos, arquivos relevantes, onde olhar",
    "scena, percorsi, file rilevanti, file da guardare, dove guardare",
    "scène, bestanden, paden, relevante bestanden, waar te kijken",
    "scen, filer, sökvägar, scene, stier, relevante filer",
    "scena, pliki, ścieżki, istotne pliki, gdzie patrzeć",
    "scéna, soubory, cesty",
    "сцена, файлы, пути, где смотреть, важные файлы, место действия, пути к файлам",
    "сцена, файли, шляхи, де дивитися",
    "sahne, dosyalar, yollar, ilgili dosyalar, nereye bakmalı",
    "現場, 場面, シーン, ファイル, 関連ファイル, パス, 見るべき場所, ファイルパス, 関連パス, 見る場所",
    "현장, 장면, 파일, 관련 파일, 경로, 볼 곳",
    "现场, 场景, 相关文件, 文件, 路径, 關鍵檔案, 現場, 場景, 檔案, 路徑, 相關檔案, 文件路径, 相关路径, 关键文件, 涉及文件, 要看的文件",
    "tiedostot, fájlok, helyszín, fișiere, αρχεία, σκηνή, tệp, hiện trường, berkas, lokasi, الملفات, המשבצת, קבצים, फ़ाइलें",
  ],
};

/** A heading as it is compared: lower case, no diacritics, one space between words, `and` for `&`. */
export function foldHeading(heading: string): string {
  return heading
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/['’]/gu, "")
    .replace(/&/gu, " and ")
    .toLowerCase()
    .replace(/ı/gu, "i")
    .normalize("NFKC")
    .replace(/[\s_-]+/gu, " ")
    .trim();
}

const BY_HEADING: ReadonlyMap<string, SectionName> = new Map(
  SECTION_NAMES.flatMap((name) =>
    ALIASES[name].flatMap((line) => line.split(",").map((alias) => [foldHeading(alias), name] as const)),
  ),
);

/** The section a heading stands for, or null. */
export function sectionOf(heading: string): SectionName | null {
  return BY_HEADING.get(foldHeading(heading)) ?? null;
}

/** Every heading that is understood, as written above; for the tests. */
export function sectionAliases(): readonly (readonly [string, SectionName])[] {
  return SECTION_NAMES.flatMap((name) =>
    ALIASES[name].flatMap((line) => line.split(",").map((alias) => [alias.trim(), name] as const)),
  );
}
