import type { Command } from 'commander'

/**
 * Writes arguments that begin with a hyphen behind `--`, where commander reads them as arguments: a
 * base64url id begins with one now and then. An unknown option is taken for an argument only while
 * a required argument is missing, so a misspelt option is still refused by its name.
 */
export function separateHyphenArguments(program: Command, argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  const read = readWords(program, end === -1 ? argv : argv.slice(0, end))
  const given = read.words.filter(({ kind }) => kind === 'argument').length
  const behind = end === -1 ? [] : argv.slice(end + 1)
  const missing = read.required - given - behind.length
  const unknown = read.words.filter(({ kind }) => kind === 'unknown').slice(0, Math.max(0, missing))
  if (unknown.length === 0) return [...argv]
  const isArgument = (word: Word) => word.kind === 'argument' || unknown.includes(word)
  const textOf = ({ text }: Word) => text
  return [
    ...read.words.filter((word) => !isArgument(word)).flatMap(textOf),
    '--',
    ...read.words.filter(isArgument).flatMap(textOf),
    ...behind,
  ]
}

interface Word {
  readonly kind: 'command' | 'option' | 'argument' | 'unknown'
  /** With its value, if it is an option that takes one. */
  readonly text: readonly string[]
}

function readWords(program: Command, argv: readonly string[]) {
  const words: Word[] = []
  let command = program
  for (let i = 0; i < argv.length; i += 1) {
    const text = argv[i] ?? ''
    const inner = words.every(({ kind }) => kind !== 'argument')
      ? command.commands.find((candidate) => candidate.name() === text)
      : undefined
    if (inner !== undefined) {
      words.push({ kind: 'command', text: [text] })
      command = inner
    } else if (!text.startsWith('-') || text === '-') {
      words.push({ kind: 'argument', text: [text] })
    } else if (takesNext(command, program, text)) {
      words.push({ kind: 'option', text: argv.slice(i, i + 2) })
      i += 1
    } else {
      const kind = isOption(command, program, text) ? 'option' : 'unknown'
      words.push({ kind, text: [text] })
    }
  }
  const required = command.registeredArguments.filter((argument) => argument.required).length
  return { words, required }
}

const optionsOf = (command: Command, program: Command) => [...command.options, ...program.options]

function takesNext(command: Command, program: Command, text: string): boolean {
  return optionsOf(command, program).some(
    ({ required, long, short }) => required && (text === long || text === short),
  )
}

/** An option as commander reads it: by its name, or with its value in the same word. */
function isOption(command: Command, program: Command, text: string): boolean {
  if (text === '-h' || text === '--help') return true
  const [name] = text.split('=')
  return optionsOf(command, program).some(
    ({ long, short }) => name === long || (short !== undefined && text.startsWith(short)),
  )
}
