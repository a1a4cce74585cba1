/** One simple command: its words without quotes, and whether another one writes to it. */
export interface SimpleCommand {
  readonly words: readonly string[]
  readonly isPiped: boolean
}

const TOKEN =
  /#[^\n]*|\\\n|\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)|[|;&\n()]+|[ \t]+|[^\s|;&()#'"\\$]+|[$#]/gs

/** A file that the script writes. */
export const HERE_DOCUMENT = /<<'?END'?\n([\s\S]*?)^END$/gm

/**
 * The simple commands of a script, in their order. It knows the quotes, comments and separators
 * that guides use, not the whole language: `bash -n` reads that.
 */
export function simpleCommands(script: string): SimpleCommand[] {
  const withoutFiles = script.replaceAll(HERE_DOCUMENT, '')
  const commands: { words: string[]; isPiped: boolean }[] = [{ words: [], isPiped: false }]
  let word: string | undefined
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.words.push(word)
    word = undefined
  }
  for (const [token] of withoutFiles.matchAll(TOKEN)) {
    if (token.startsWith('#') && word === undefined) continue
    if (token === '\\\n' || /^[ \t]+$/.test(token)) {
      endWord()
    } else if (/^[|;&\n()]+$/.test(token)) {
      endWord()
      commands.push({ words: [], isPiped: token === '|' })
    } else {
      word = (word ?? '') + unquoted(token)
    }
  }
  endWord()
  return commands.filter(({ words }) => words.length > 0)
}

function unquoted(token: string): string {
  if (token.startsWith("'")) return token.slice(1, -1)
  if (token.startsWith('"')) return token.slice(1, -1).replaceAll(/\\(.)/gs, '$1')
  return token.startsWith('\\') ? token.slice(1) : token
}

/**
 * The arguments behind `schoolgate`, however it is started; undefined if the command is another
 * one.
 */
export function schoolgateArguments({ words }: SimpleCommand): readonly string[] | undefined {
  const inner = words.findIndex((word) => word.includes('schoolgate ') && word.includes('npx '))
  if (inner !== -1) {
    // sh -c '… npx schoolgate doctor'
    return simpleCommands(words[inner] ?? '')
      .map(schoolgateArguments)
      .find((found) => found !== undefined)
  }
  const place = words.findIndex(
    (word, index) =>
      word.endsWith('bin/schoolgate.mjs') ||
      (word === 'schoolgate' && (index === 0 || ['npx', 'sudo'].includes(words[index - 1] ?? ''))),
  )
  return place === -1 ? undefined : words.slice(place + 1)
}
