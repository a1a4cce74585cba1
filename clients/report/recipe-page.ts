import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../recipes/', import.meta.url)

/** How a file of this language begins with its text, and the name of the language in Markdown. */
const LANGUAGES: Readonly<Record<string, readonly [language: string, opening: RegExp]>> = {
  ts: ['ts', /^\/\*\n([\s\S]*?)\n\*\/\n/],
  js: ['js', /^\/\*\n([\s\S]*?)\n\*\/\n/],
  go: ['go', /^\/\*\n([\s\S]*?)\n\*\/\n/],
  py: ['python', /^"""\n([\s\S]*?)\n"""\n/],
  rb: ['ruby', /^=begin\n([\s\S]*?)\n=end\n/],
  sh: ['sh', /^((?:#.*\n)+)/],
  conf: ['apache', /^((?:#.*\n)+)/],
}

/** What many recipes import, shown on each of their pages. */
const SHARED = `
\`application.ts\`:

\`\`\`ts
${readFileSync(new URL('application.ts', FOLDER), 'utf8').trim()}
\`\`\`
`

export interface RecipePage {
  /** Of the client, as in `docs/recipes/{name}.md`. */
  readonly name: string
  readonly title: string
  readonly markdown: string
}

/** Every recipe as a page: the text at its top, then its code, whole. */
export function recipePages(): readonly RecipePage[] {
  return readdirSync(FOLDER)
    .toSorted()
    .filter((file) => file !== 'application.ts' && /^[^.]+\.[a-z]+$/.test(file))
    .map(pageOf)
}

function pageOf(file: string): RecipePage {
  const [name = '', ending = ''] = file.split('.')
  const [language, opening] = LANGUAGES[ending] ?? []
  const source = readFileSync(new URL(file, FOLDER), 'utf8')
  const found = opening?.exec(source)
  if (language === undefined || !found?.[1]) throw new Error(`${file} does not begin with its text`)
  const text = opening?.source.startsWith('^((?:#')
    ? found[1].replaceAll(/^# ?/gm, '').trim()
    : found[1]
  const code = source.slice(found[0].length).trim()
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name
  const shared = /'\.\/application\.ts'/.test(code) ? SHARED : ''
  const markdown = `<!-- Written from clients/recipes/${file}, which \`npm run clients\` runs. Do not edit by hand: npm run docs -->

${text}

\`\`\`${language}
${code}
\`\`\`
${shared}
[How it was tried, and other clients](../clients.md)
`
  return { name, title, markdown }
}
