import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Checks the imports and the SQL of src against the rules of docs/architecture.md. */

const ROOT = new URL('../../', import.meta.url).pathname
const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
  .map((name) => `src/${name}`)
const sources = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))

/** Static, dynamic and type imports, as paths from the project's root. */
function importsOf(file: string): string[] {
  const source = sources.get(file) ?? ''
  const specifiers = [...source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
  return specifiers.map(([, specifier = '']) =>
    relative(ROOT, join(ROOT, dirname(file), specifier)),
  )
}

/** A file may import from its own floor and from floors with lower numbers. */
const FLOORS: readonly (readonly [prefix: string, floor: number])[] = [
  ['src/foundation/', 0],
  ['src/domain/', 1],
  ['src/gate/', 2],
  ['src/surfaces/', 3],
]

function floorOf(file: string): number {
  return FLOORS.find(([prefix]) => file.startsWith(prefix))?.[1] ?? 4
}

/**
 * Floors that are divided into rooms. A file imports from its own room and from rooms that stand
 * before it; rooms of one line do not know each other.
 */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/domain/': [
    ['actor'],
    ['audit'],
    ['operation'],
    ['idempotency'],
    ['jobs'],
    ['schools'],
    ['bulk'],
    ['people', 'grants', 'clients'],
    ['notifications'],
    ['content'],
    ['learning'],
    ['events'],
    ['consulting'],
    ['commerce'],
    ['analytics'],
    ['leaving'],
    ['catalogue'],
    ['setup'],
  ],
  'src/surfaces/pages/': [
    ['frame'],
    ['mails'],
    ['sign-in'],
    ['consent', 'account', 'member', 'site', 'developers', 'setup'],
    ['admin'],
    ['pages.ts'],
  ],
  'src/surfaces/pages/admin/': [
    ['frame'],
    ['crud'],
    ['resources'],
    ['settings'],
    ['apps'],
    ['audit'],
    ['analytics'],
    ['overview'],
    ['school-pages.ts'],
    ['admin.ts'],
  ],
}

/** A new password ends grants, and a grant needs a person and a client. */
const KNOW_EACH_OTHER = ['people', 'grants', 'clients']

/** The room of a file on a floor; a file beside the rooms is one of its own. */
function roomOf(floor: string, file: string): string | undefined {
  return file.startsWith(floor) ? file.slice(floor.length).split('/')[0] : undefined
}

function isForward(floor: string, file: string, target: string): boolean {
  const [from, to] = [roomOf(floor, file), roomOf(floor, target)]
  if (from === undefined || to === undefined || from === to) return false
  if (KNOW_EACH_OTHER.includes(from) && KNOW_EACH_OTHER.includes(to)) return false
  const place = (room: string) => ROOMS[floor]?.findIndex((line) => line.includes(room)) ?? -1
  return place(to) >= place(from)
}

function surfaceOf(file: string): string | undefined {
  return /^src\/surfaces\/([^/]+)\//.exec(file)?.[1]
}

describe('the house', () => {
  test('imports point down only: composition, surfaces, gate, domain, foundation', () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => floorOf(target) > floorOf(file))
        .map((target) => `${file} -> ${target}`),
    )
    expect(upward).toEqual([])
  })

  test.each(Object.entries(ROOMS))('the rooms of %s stand in an order', (floor, lines) => {
    const rooms = new Set(files.flatMap((file) => roomOf(floor, file) ?? []))
    expect([...rooms].sort()).toEqual(lines.flat().sort())
    const forward = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => isForward(floor, file, target))
        .map((target) => `${file} -> ${target}`),
    )
    expect(forward).toEqual([])
  })

  test('no file name is used more than twice', () => {
    const times = new Map<string, number>()
    for (const file of files) {
      const name = basename(file)
      times.set(name, (times.get(name) ?? 0) + 1)
    }
    expect([...times].filter(([, count]) => count > 2)).toEqual([])
  })

  test('surfaces never import each other', () => {
    const across = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => surfaceOf(target) !== undefined && surfaceOf(file) !== undefined)
        .filter((target) => surfaceOf(target) !== surfaceOf(file))
        .map((target) => `${file} -> ${target}`),
    )
    expect(across).toEqual([])
  })

  test('there is no cycle, type imports included', () => {
    expect(findCycle()).toBeUndefined()
  })

  test('every import names a file that exists', () => {
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !sources.has(target))
        .map((target) => `${file} -> ${target}`),
    )
    expect(broken).toEqual([])
  })

  test('there is no folder for everything (utils, helpers), and no file that only re-exports', () => {
    const mixedFolders = files.filter((file) =>
      /\/(utils?|helpers?|common|shared|services|types|misc)(\/|\.tsx?$)/.test(file),
    )
    const barrels = files.filter((file) => /\/index\.tsx?$/.test(file))
    expect([...mixedFolders, ...barrels]).toEqual([])
  })

  test('the domain does not use requests, replies or cookies', () => {
    const seeing = files.filter(
      (file) =>
        file.startsWith('src/domain/') &&
        /from 'fastify'|foundation\/http\/|foundation\/html\//.test(sources.get(file) ?? ''),
    )
    expect(seeing).toEqual([])
  })

  test('protocol rules do no I/O', () => {
    const doing = files.filter(
      (file) =>
        file.startsWith('src/foundation/protocol/') &&
        /from '(fastify|pg|kysely|node:(fs|net|http|https|child_process|dns)[^']*)'|\/db\//.test(
          sources.get(file) ?? '',
        ),
    )
    expect(doing).toEqual([])
  })

  test('messages take the name of the command from one place', () => {
    const spelt = files.filter((file) => /npx schoolgate/.test(sources.get(file) ?? ''))
    expect(spelt).toEqual(['src/foundation/text/command-name.ts'])
  })

  test('only main.ts reads the environment, and passes it to config.ts; the name of the command is a constant', () => {
    const reading = files.filter((file) => /process\.env\b/.test(sources.get(file) ?? ''))
    expect(reading.sort()).toEqual(['src/foundation/text/command-name.ts', 'src/main.ts'])
  })
})

describe('tables', () => {
  const schema = readFileSync(join(ROOT, 'migrations/schema.sql'), 'utf8')
  const owners = new Map(
    [...schema.matchAll(/^-- ([a-z]+): .*\ncreate table ([a-z_]+) \(/gm)].map(
      ([, owner = '', table = '']) => [table, owner],
    ),
  )

  test('belong to folders that exist', () => {
    const folders = new Set(readdirSync(join(ROOT, 'src/domain')))
    const unknown = [...owners].filter(([, owner]) => !folders.has(owner))
    expect(unknown).toEqual([])
  })

  const foreignWrites = files.flatMap((file) => {
    const folder = /^src\/domain\/([^/]+)\//.exec(file)?.[1]
    return writtenTables(sources.get(file) ?? '')
      .filter((table) => owners.has(table) && owners.get(table) !== folder)
      .map((table) => `${file} writes ${table} of ${owners.get(table)}`)
  })
  test('are written only by the folder that they belong to', () => {
    expect(foreignWrites).toEqual([])
  })
})

function writtenTables(source: string): string[] {
  const patterns = [
    /\.(?:insertInto|updateTable|deleteFrom|insert|update|delete)\(\s*'([a-z_]+)'/g,
    /\b(?:insert into|update|delete from)\s+([a-z_]+)\b/g,
  ]
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, table = '']) => table))
}

function findCycle(): string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const target of importsOf(file)) {
      const cycle = visit(target, [...path, file])
      if (cycle !== undefined) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of files) {
    const cycle = visit(file, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
