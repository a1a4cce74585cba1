import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * Comments name their subject (the request, the connection, the client, the member): "nobody",
 * "somebody" and "whoever" leave it to the reader to find out.
 */

const ROOT = new URL('../../', import.meta.url).pathname
/** Without its packages, which take long to list. */
const CLIENTS = ['drive', 'recipes', 'report', 'trials'].map((name) => `clients/${name}`)
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'migrations', 'assets', ...CLIENTS]
const VAGUE = /\b(?:nobody|somebody|whoever)\b/i
/** A quoted word is a name, such as that of the Unix account `nobody`. */
const QUOTED = /(["`])\w+\1/g

/** Where a comment starts, by the ending of the file. */
const COMMENT: Readonly<Record<string, RegExp>> = {
  ts: /(?:^\s*|[\s;{(])(?:\/\/|\/\*\*?|\*(?=\s|\/)).*/,
  tsx: /(?:^\s*|[\s;{(])(?:\/\/|\/\*\*?|\*(?=\s|\/)).*/,
  mjs: /(?:^\s*|[\s;{(])(?:\/\/|\/\*\*?|\*(?=\s|\/)).*/,
  js: /(?:^\s*|[\s;{(])(?:\/\/|\/\*\*?|\*(?=\s|\/)).*/,
  css: /\/\*.*|^\s*\*.*/,
  sql: /--.*/,
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(?:^|\/)(?:node_modules|vendor|released)\//.test(name))
    .filter((name) => !name.includes('.generated.') && endingOf(name) in COMMENT)
    .map((name) => `${folder}/${name}`)
    .filter((file) => statSync(join(ROOT, file)).isFile())
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

function vagueComments(text: string, ending: string): string[] {
  const comment = COMMENT[ending]
  return text.split('\n').flatMap((line, index) => {
    const found = comment?.exec(line)?.[0]
    return found !== undefined && VAGUE.test(found.replaceAll(QUOTED, ''))
      ? [`${index + 1}: ${found.trim()}`]
      : []
  })
}

describe('comments', () => {
  test('name their subject instead of nobody, somebody or whoever', () => {
    const files = FOLDERS.flatMap(sourceFiles)
    const found = files.flatMap((file) =>
      vagueComments(readFileSync(join(ROOT, file), 'utf8'), endingOf(file)).map(
        (line) => `${file}:${line}`,
      ),
    )
    expect(files.length).toBeGreaterThan(900)
    expect(found, 'name the subject: the request, the client, the member, the school').toEqual([])
  })

  test('are found in every place where one can stand', () => {
    const some = 'some' + 'body'
    for (const line of [`// ${some}`, `x() // ${some}`, `/** ${some} */`, ` * ${some}`]) {
      expect(vagueComments(line, 'ts'), line).toHaveLength(1)
    }
    expect(vagueComments(`select 1 -- ${some}`, 'sql')).toHaveLength(1)
    expect(vagueComments('// runs as the account `nobody`', 'ts')).toEqual([])
    expect(vagueComments(`const word = '${some}'`, 'ts')).toEqual([])
    expect(vagueComments(`fetch('https://example.test/${some}')`, 'ts')).toEqual([])
  })
})
