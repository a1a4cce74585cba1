import { readdirSync, readFileSync } from 'node:fs'
import { buildSchema, parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { variables } from '../../../src/variables.ts'
import { type Block, blocksOf } from '../../support/guide-blocks.ts'
import { caddyProblems, haproxyProblems, nginxProblems } from './settings-files.ts'
import { mentionProblems, shellProblems } from './shell.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const pagesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`)

/** Pages for operators; the recipes of clients have tests of their own. */
const GUIDES = [
  'README.md',
  ...pagesIn('docs/guides/'),
  ...['operations', 'limits', 'settings', 'embedded-postgresql'].map((name) => `docs/${name}.md`),
]
const PAGES = [...new Set([...GUIDES, 'CONTRIBUTING.md', ...pagesIn('docs/')])]
const blocks = PAGES.flatMap(blocksOf)

const schema = buildSchema(read('src/surfaces/member-api/schema.graphql'))

type Judge = (block: Block) => string[] | Promise<string[]>

/** What each kind of block has to be. */
const KINDS: Readonly<Record<string, Judge>> = {
  sh: shellProblems,
  json: ({ text }) => thrown(() => JSON.parse(text)),
  yaml: ({ text }) => thrown(() => parseYaml(text, { strict: true, uniqueKeys: true })),
  graphql: ({ text }) => {
    const wrong = thrown(() => parse(text))
    return wrong.length > 0 ? wrong : validate(schema, parse(text)).map(({ message }) => message)
  },
  ini: ({ text }) => text.split('\n').filter((line) => line !== '' && !/^\w+ = \S/.test(line)),
  sql: ({ text }) => (text.trim().endsWith(';') ? [] : ['its last statement does not end']),
  caddyfile: ({ text }) => caddyProblems(text),
  nginx: ({ text }) => nginxProblems(text),
  haproxy: ({ text }) => haproxyProblems(text),
  text: () => [],
}

function thrown(work: () => unknown): string[] {
  try {
    work()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

const nameOf = ({ page, line }: Block): string => `${page}:${line}`

test('every block of a page has a kind, so that a test can judge it', () => {
  expect(blocks.length).toBeGreaterThan(60)
  expect(blocks.filter(({ language }) => !(language in KINDS)).map(nameOf)).toEqual([])
})

test('every fence of a page belongs to a block that was found', () => {
  for (const page of PAGES) {
    const fences = read(page).match(/^[ \t]*```/gm)?.length ?? 0
    expect(blocksOf(page).length * 2, page).toBe(fences)
  }
})

describe.each(Object.entries(KINDS))('%s', (kind, judge) => {
  test('every block is well formed, and its commands and settings exist', async () => {
    const wrong: string[] = []
    for (const block of blocks.filter(({ language }) => language === kind)) {
      wrong.push(...(await judge(block)).map((problem) => `${nameOf(block)}: ${problem}`))
    }
    expect(wrong).toEqual([])
  })
})

/** `schoolgate …` in a sentence, which may go on in the next line. */
const MENTION = /`(?:npx )?schoolgate ([^`]+)`/g

test('every command that a sentence names exists, with its options', async () => {
  const wrong: string[] = []
  const seen = new Set<string>()
  for (const page of PAGES) {
    const text = read(page).replaceAll(/^[ \t]*```[\s\S]*?^[ \t]*```$/gm, '')
    for (const [, mention = ''] of text.matchAll(MENTION)) {
      if (seen.has(mention) || mention.startsWith('--') || mention === '…') continue
      seen.add(mention)
      wrong.push(...(await mentionProblems(mention)).map((problem) => `${page}: ${problem}`))
    }
  }
  expect(seen.size).toBeGreaterThan(15)
  expect(wrong).toEqual([])
})

/** Of systemd, of programs for development, and words in capitals that are no settings. */
const NO_SETTING = new Set(['LC_CTYPE', 'GRANT_SOAK', 'CLIENT_ID'])

test('every setting that a guide names exists', () => {
  const wrong = GUIDES.flatMap((page) =>
    [...read(page).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !(name in variables) && !NO_SETTING.has(name))
      .map((name) => `${page}: ${name}`),
  )
  expect(wrong).toEqual([])
})

test('a block that is wrong is noticed, whatever its kind', async () => {
  const bad: Readonly<Record<string, readonly string[]>> = {
    sh: [
      'if true',
      'npx schoolgate school make',
      'npx schoolgate school list --unheard-of',
      'npx schoolgate keys list',
      'export SCHOOLGATE_SECRETS=x',
      'curl "$NOWHERE"',
      'npm run nothing',
    ],
    json: ['{"a":}'],
    yaml: ['a: 1\na: 2'],
    graphql: ['{ viewer { shoeSize } }', '{'],
    ini: ['pool_mode: transaction'],
    sql: ['select 1'],
    caddyfile: ['school.example {\n'],
    nginx: ['listen 80'],
    haproxy: ['mode tcp'],
  }
  for (const [language, texts] of Object.entries(bad)) {
    for (const text of texts) {
      const block = { page: 'README.md', language, text: `${text}\n`, line: 1 }
      expect(await KINDS[language]?.(block), text).not.toEqual([])
    }
  }
  expect(await mentionProblems('client forget')).toHaveLength(1)
  expect(await mentionProblems('client disable --softly')).toHaveLength(1)
  expect(await mentionProblems('client disable')).toEqual([])
})
