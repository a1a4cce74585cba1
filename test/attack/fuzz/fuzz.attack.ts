import { expect, test } from 'vitest'
import { keepPart } from '../report/keep-part.ts'
import { fuzz } from './fuzz.ts'

const INPUTS = Number(process.env.FUZZ_INPUTS ?? 1_000_000)
const SEED = Number(process.env.FUZZ_SEED ?? 1)

test('mutated requests to every surface get an answer or a refusal, and no secret', async () => {
  const { counts, findings } = await fuzz(INPUTS, SEED)
  keepPart('fuzz', {
    order: 20,
    title: 'Fuzzed requests',
    lead: [
      'Honest requests of an owner, a member, an application and an assistant, each changed in one to four places: method,',
      `path, query, headers, form, JSON or bytes. ${INPUTS} inputs with the seed ${SEED}; ${findings.length} findings. Looked for: any 5xx other than`,
      'the 503 of a full queue, stack traces, statements, hashes, secrets, rows of another school, answers without a bound.',
    ],
    columns: ['Surface', 'Inputs', '2xx', '3xx', '4xx', '503', 'Other 5xx', 'Longest answer'],
    rows: counts.map(({ surface, inputs, statuses, longest }) => [
      surface,
      inputs,
      ...['2xx', '3xx', '4xx', '503', '5xx'].map((group) => statuses[group] ?? 0),
      longest,
    ]),
  })
  expect(findings).toEqual([])
})
