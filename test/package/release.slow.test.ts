import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { checklist } from '../../scripts/release/checklist.ts'
import { sourceTrees } from '../../scripts/release/kept.ts'

const SQL = 'create table schools ();\n'
const RELEASED = 'test/fixtures/released'
const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ version: '0.2.0' }),
  'package-lock.json': JSON.stringify({ version: '0.2.0', packages: { '': { version: '0.2.0' } } }),
  'CHANGELOG.md':
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-17\n\n- New.\n\n## 0.1.0 - x\n',
  'migrations/0001-schools.sql': SQL,
  'src/surfaces/member-api/schema.graphql': 'type Query',
  'src/surfaces/member-api/schema.older.graphql': 'type Query',
  [`${RELEASED}/schema.graphql`]: 'type Query',
  [`${RELEASED}/schema.older.graphql`]: 'type Query',
  [`${RELEASED}/statements.json`]: '[]',
  [`${RELEASED}/migrations.json`]: JSON.stringify({
    '0001-schools.sql': createHash('sha256').update(SQL).digest('hex'),
  }),
}
const PACKED = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'assets/explorer/vendor/graphiql.min.js',
  'bin/schoolgate.mjs',
  'deploy/example.env',
  'deploy/schoolgate.service',
  'dist/main.js',
  'docs/guides/install.md',
  'docs/operations.md',
  'migrations/0001-schools.sql',
  'package.json',
]

const places: string[] = []
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true })
})

let root = ''

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function git(...args: string[]): void {
  const person = ['-c', 'user.name=Tests', '-c', 'user.email=tests@schoolgate.test']
  execFileSync('git', [...person, ...args], { cwd: root, stdio: 'pipe' })
}

function commit(path: string, text: string): void {
  write(path, text)
  git('add', '.')
  git('commit', '-q', '-m', `change ${path}`)
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'schoolgate-release-'))
  places.push(root)
  git('init', '-q')
  for (const [path, text] of Object.entries(FILES)) write(path, text)
  git('add', '.')
  git('commit', '-q', '-m', 'a release')
  keepSources()
})

function keepSources(): void {
  commit(`${RELEASED}/sources.json`, JSON.stringify(sourceTrees(root)))
}

function problems(change: { today?: Date; packed?: readonly string[] } = {}): string[] {
  const steps = checklist({ root, today: new Date('2026-11-17'), packed: PACKED, ...change })
  return steps.flatMap(({ name, problem, remedy }) => {
    expect(remedy === undefined).toBe(problem === undefined)
    return problem === undefined ? [] : [`${name}: ${problem}`]
  })
}

test('a release with everything has no problem', () => {
  expect(problems()).toEqual([])
})

describe('the checklist stops', () => {
  test('work that is not committed', () => {
    write('src/new.ts', '')
    expect(problems()).toEqual([expect.stringMatching(/^the working tree .*src\/new\.ts/s)])
  })

  test('a lock of another version, and a version that is tagged', () => {
    const lock = { version: '0.2.0', packages: { '': { version: '0.1.0' } } }
    commit('package-lock.json', JSON.stringify(lock))
    git('tag', 'v0.2.0')
    expect(problems()).toEqual([
      expect.stringContaining('0.2.0 and 0.1.0'),
      expect.stringContaining('v0.2.0 is there'),
    ])
  })

  test('a changelog without the version, without its day, or with entries that would be left out', () => {
    for (const text of [
      '## Unreleased\n\n- New.\n\n## 0.1.0 - 2026-11-16\n',
      '## 0.2.0\n\n- New.\n',
      '## 0.2.01 - 2026-11-17\n\n- New.\n',
      '## Unreleased\n\n- Newer.\n\n## 0.2.0 - 2026-11-17\n\n- New.\n',
    ]) {
      commit('CHANGELOG.md', text)
      expect(problems(), text).toEqual([expect.stringMatching(/^the changelog/)])
    }
  })

  test('a migration that could still be edited, or was edited', () => {
    commit(`${RELEASED}/migrations.json`, '{}')
    expect(problems()).toEqual([expect.stringContaining('beginning with 0001-schools.sql')])
  })

  test('sources that are newer than the statements, and a schema that was not kept', () => {
    commit('src/domain/new.ts', 'export {}')
    expect(problems()).toEqual([expect.stringContaining('src changed since')])
    keepSources()
    expect(problems()).toEqual([])
    commit(`${RELEASED}/schema.graphql`, 'type Older')
    expect(problems()).toEqual([expect.stringContaining('schema.graphql differ')])
  })

  test('a package that lacks the program or a migration, or has tests, sources or settings in it', () => {
    for (const path of ['dist/main.js', 'migrations/0001-schools.sql', 'LICENSE']) {
      const packed = PACKED.filter((one) => one !== path)
      expect(problems({ packed })).toEqual([expect.stringContaining(`it lacks ${path}`)])
    }
    for (const path of ['src/main.ts', 'dist/a.test.js', 'deploy/.env', '.env', 'data/secret']) {
      expect(problems({ packed: [...PACKED, path] })).toEqual([
        expect.stringContaining(`it has ${path}`),
      ])
    }
  })

  test('a recommended Node that ends soon', () => {
    expect(problems({ today: new Date('2028-04-01') })).toEqual([
      expect.stringContaining('Node 24 ends in 29 days'),
    ])
  })
})
