import { expect, test } from 'vitest'
import { keepPart } from '../report/keep-part.ts'
import { fuzz } from './fuzz.ts'
import { addToRecord, readRecord } from './record.ts'

const GOAL = Number(process.env.FUZZ_INPUTS ?? 1_000_000)
const MINUTES = Number(process.env.FUZZ_MINUTES ?? 60)
const INPUTS_PER_WORLD = 10_000

test('mutated requests to every surface get an answer or a refusal, and no secret', async () => {
  const record = readRecord()
  const end = Date.now() + MINUTES * 60_000
  while (record.inputs < GOAL && Date.now() < end) {
    addToRecord(record, INPUTS_PER_WORLD, await fuzz(INPUTS_PER_WORLD, record.worlds))
  }
  const { inputs, worlds, findings, mended, counts } = record
  keepPart('fuzz', {
    order: 20,
    title: 'Fuzzed requests',
    lead: [
      'Honest requests of an owner, a member, an application and an assistant, each changed in one to four places: method,',
      `path, query, headers, form, JSON or bytes. ${inputs} inputs in ${worlds} worlds, in the sum of all runs; ${findings.length} findings.`,
      'Looked for: any 5xx other than the 503 of a full queue, stack traces, statements, hashes, secrets, rows of another',
      'school, answers without a bound.',
      ...mended.map((what) => `Found and mended: ${what}`),
    ],
    columns: ['Surface', 'Inputs', '2xx', '3xx', '4xx', '503', 'Other 5xx', 'Longest answer'],
    rows: counts.map(({ surface, inputs: sent, statuses, longest }) => [
      surface,
      sent,
      ...['2xx', '3xx', '4xx', '503', '5xx'].map((group) => statuses[group] ?? 0),
      longest,
    ]),
  })
  expect(findings).toEqual([])
})
