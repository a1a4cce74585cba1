import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Assistant, Connection } from '../../fixtures/assistants/assistant.ts'
import { assistantsAt } from '../../fixtures/assistants/assistants.ts'
import { verifies } from '../../spec/verifies.ts'

const PAGE = new URL('../../../docs/assistants.md', import.meta.url)
const WRITTEN = /(<!-- assistants -->\n)[\s\S]*(<!-- \/assistants -->)/

const assistants = assistantsAt('https://school.example')

const connects = ({ refused, retries }: Connection) => refused === undefined || retries === true
const ways = (connections: readonly Connection[]) =>
  connections
    .filter(connects)
    .map(({ how }) => how)
    .join('; ')

function overview(): string[] {
  return [
    '| assistant | owners and admins, at `/mcp` | members, at `/mcp/member` |',
    '| --- | --- | --- |',
    ...assistants.map(
      ({ name, operator, member }) => `| ${name} | ${ways(operator)} | ${ways(member)} |`,
    ),
    '',
    '## When it cannot',
    '',
    '| assistant | used by | how | its user reads |',
    '| --- | --- | --- | --- |',
    ...assistants.flatMap(({ name, operator, member }) => [
      ...refusalsOf(name, 'owners and admins', operator),
      ...refusalsOf(name, 'members', member),
    ]),
    '',
  ]
}

function refusalsOf(name: string, who: string, connections: readonly Connection[]): string[] {
  return connections.flatMap(({ how, refused, retries }) =>
    refused === undefined || retries === true
      ? []
      : [`| ${name} | ${who} | ${how} | ${refused.seen} |`],
  )
}

function section({ name, known, assumed, sources }: Assistant): string[] {
  return [
    `### ${name}`,
    '',
    ...known.map((fact) => `- ${fact}`),
    ...assumed.map((guess) => `- assumed: ${guess}`),
    '',
    `Sources: ${sources.map(({ url, date }) => `<${url}> (${date})`).join(', ')}`,
    '',
  ]
}

verifies(
  'assistants.documented',
  'docs/assistants.md says of each assistant what is known, assumed and tried (UPDATE_DOCS=1 rewrites it)',
  () => {
    for (const { sources, known, operator, member } of assistants) {
      for (const { url, date } of sources) {
        expect(url).toMatch(/^https:\/\//)
        expect(date).toMatch(/^20\d\d-[01]\d-[0-3]\d$/)
      }
      expect(known.length).toBeGreaterThan(0)
      // Each of them has a way in, for owners and for members.
      expect(operator.some(connects) && member.some(connects)).toBe(true)
    }
    const text = readFileSync(PAGE, 'utf8')
    const lines = [...overview(), '## What is known of each', '', ...assistants.flatMap(section)]
    const wanted = text.replace(WRITTEN, (_, begin, end) => `${begin}\n${lines.join('\n')}\n${end}`)
    if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted)
    expect(readFileSync(PAGE, 'utf8')).toBe(wanted)
  },
)
