import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { variables } from '../../../src/variables.ts'
import { run } from '../../cli/support/run.ts'
import { type Block, blocksOf } from '../../support/guide-blocks.ts'
import { HERE_DOCUMENT, schoolgateArguments, simpleCommands } from '../../support/shell-words.ts'

const { scripts } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { readonly scripts: object }

/**
 * With this environment a command fails after its arguments were read, and before it does anything.
 */
const NO_ENVIRONMENT = { PORT: 'none' }
/** Other wrong arguments, such as a file that is not there, have an advice of their own. */
const USAGE = /→ (?:add --help to the command|name one of the commands)/
/**
 * Of PostgreSQL's own programs, of the shell, and what the text around a block says that the reader
 * fills in.
 */
const FOREIGN = /^(?:PG[A-Z]+|PWD|PASSWORD|OWNER_PASSWORD|ORIGIN|TOKEN|ACCESS_TOKEN)$/

/** What is wrong with a block of commands. */
export async function shellProblems({ text, page }: Block): Promise<string[]> {
  return [
    ...syntaxProblems(text),
    ...variableProblems(text, page),
    ...scriptProblems(text),
    ...(await commandProblems(text)),
  ]
}

function syntaxProblems(text: string): string[] {
  try {
    execFileSync('bash', ['-n'], { input: text, stdio: 'pipe' })
    return []
  } catch (error) {
    return [`bash does not read it: ${(error as Error).message}`]
  }
}

/** A variable is a setting of ours, or a block of the page gives it its value. */
function variableProblems(text: string, page: string): string[] {
  const assigned = (line: string) => namesIn(line, /(?:^|\s)([A-Z]\w*)=/g)
  const exported = namesIn(text, /^export (.*)$/gm).flatMap(assigned)
  const forOne = namesIn(text, /^([A-Z]\w*)=\S+ npx/gm)
  const given = blocksOf(page).flatMap((block) => namesIn(block.text, /^([A-Z]\w*)=/gm))
  const read = namesIn(text, /\$\{?([A-Z]\w*)/g).filter((name) => !given.includes(name))
  const inFiles = namesIn(text, HERE_DOCUMENT).flatMap((file) => namesIn(file, /^([A-Z]\w*)=/gm))
  return [...exported, ...forOne, ...inFiles, ...read]
    .filter((name) => !(name in variables) && !FOREIGN.test(name))
    .map((name) => `${name} is no setting (src/variables.ts)`)
}

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name)

function scriptProblems(text: string): string[] {
  return namesIn(text, /\bnpm run ([\w:-]+)/g)
    .filter((name) => !(name in scripts))
    .map((name) => `package.json has no script ${name}`)
}

async function commandProblems(text: string): Promise<string[]> {
  const problems: string[] = []
  for (const command of simpleCommands(text)) {
    const argv = schoolgateArguments(command)
    if (argv === undefined) continue
    const { stderr } = await run(argv, NO_ENVIRONMENT)
    if (USAGE.test(stderr)) problems.push(`schoolgate ${argv.join(' ')}: ${stderr}`)
  }
  return problems
}

/** A command that a sentence names: the command exists, and so does every option. */
export async function mentionProblems(mention: string): Promise<string[]> {
  const words = mention.split(/\s+/)
  const wordCount = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
  for (let length = wordCount === -1 ? words.length : wordCount; length > 0; length -= 1) {
    const path = words.slice(0, length)
    const { code, stdout } = await run([...path, '--help'], NO_ENVIRONMENT)
    // The help of a group answers for a command that it does not have.
    if (code !== 0 || !stdout.startsWith(`Usage: schoolgate ${path.join(' ')} [`)) continue
    const rest = words.slice(length)
    const lacks = stdout.includes('\nCommands:\n') && /^[a-z]/.test(rest[0] ?? '')
    const missing = rest.filter((word) => word.startsWith('--') && !stdout.includes(`${word} `))
    return [...(lacks ? rest.slice(0, 1) : []), ...missing].map(
      (word) => `schoolgate ${mention}: there is no ${word}`,
    )
  }
  return [`schoolgate ${mention}: no such command`]
}
