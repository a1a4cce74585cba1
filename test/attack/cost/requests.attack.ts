import { afterAll, describe, expect, test } from 'vitest'
import { post } from '../../flows/mcp/tool-endpoint.ts'
import { anOperator } from '../../support/admin-api.ts'
import { aToken, postGraphQL } from '../../support/member-api.ts'
import { aWorld } from '../../support/world.ts'
import { keepPart } from '../report/keep-part.ts'
import { type HostileText, ownTexts } from './hostile-texts.ts'
import { isSteep, type Measured, measureCost, steepestOf, type Work } from './measure-cost.ts'

const world = await aWorld({ limits: { toolCallsPerMinute: 1e9, apiCallsPerMinute: 1e9 } })
const school = await world.aSchool()
const operator = await anOperator(world, school)
const memberToken = await aToken(world, school, await world.aMember(school))
const token = operator.accessToken

const KIB = 1024

/** Members with different names, as many as fit. */
const members: HostileText = {
  name: '"k0":0,"k1":0,…',
  make: (length) => {
    let text = ''
    for (let n = 0; text.length < length - 12; n++) text += `${n === 0 ? '' : ','}"k${n}":0`
    return text
  },
}

const longString: HostileText = {
  name: '"k":"xxx…"',
  make: (length) => `"k":"${'x'.repeat(Math.max(1, length - 6))}"`,
}

const escapes: HostileText = {
  name: '"k":"\\\\\\"…"',
  make: (length) => `"k":"${'\\"'.repeat(Math.max(1, length / 2 - 3))}"`,
}

const deep: HostileText = {
  name: '"k":[[[…]]]',
  make: (length) => `"k":${'['.repeat(length / 2 - 3)}${']'.repeat(length / 2 - 3)}`,
}

const INSIDE = [members, longString, escapes, deep]

const message = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}}}`

const SHAPES: Readonly<Record<string, (inside: string) => string>> = {
  ping: (inside) => message('ping', inside),
  'tools/list': (inside) => message('tools/list', `"_meta":{${inside}}`),
  'tools/call': (inside) => message('tools/call', `"name":"search","arguments":{${inside}}`),
}

interface Surface {
  readonly name: string
  readonly longest: number
  readonly texts: readonly HostileText[]
  readonly work: Work
}

const surfaces: readonly Surface[] = [
  ...Object.entries(SHAPES).flatMap(([name, write]) => [
    {
      name: `/mcp ${name}, stranger`,
      longest: 60 * KIB,
      texts: INSIDE,
      work: (text: string) => post(world, school, write(text)),
    },
    {
      name: `/mcp ${name}, with a token`,
      longest: 1000 * KIB,
      texts: INSIDE,
      work: (text: string) => post(world, school, write(text), { token }),
    },
  ]),
  {
    name: 'REST body',
    longest: 1000 * KIB,
    texts: INSIDE,
    work: (text) => operator.post('/posts', `{${text}}`),
  },
  {
    name: 'REST body with an Idempotency-Key',
    longest: 1000 * KIB,
    texts: INSIDE,
    work: (text) => operator.post('/posts', `{${text}}`, { 'idempotency-key': 'k' }),
  },
  {
    name: 'REST query',
    longest: 8 * KIB - 100,
    texts: ownTexts(['k&', '&', '%20', 'a=b&', '=']),
    work: (text) => operator.get(`/posts?${text}`),
  },
  {
    name: 'Member API variables',
    longest: 1000 * KIB,
    texts: INSIDE,
    work: (text) =>
      postGraphQL(world, school, memberToken, `{"query":"{ __typename }","variables":{${text}}}`),
  },
]

const results: { readonly surface: string; readonly measured: readonly Measured[] }[] = []

describe('the cost of a request grows no faster than the request', () => {
  for (const { name, longest, texts, work } of surfaces) {
    test(name, async () => {
      const measured: Measured[] = []
      for (const text of texts) measured.push(await measureCost(text, longest, work))
      results.push({ surface: name, measured })
      expect(measured.filter(isSteep)).toEqual([])
    })
  }
})

afterAll(() => {
  keepPart('cost-of-requests', {
    order: 11,
    title: 'Cost of requests',
    lead: [
      'The same for whole requests, from the server’s first byte to its answer, in one process.',
    ],
    columns: [
      'Request',
      'Longest',
      'Steepest exponent',
      'Dearest',
      'ns per byte',
      'ms at full length',
    ],
    rows: results.map(({ surface, measured }) => {
      const dearest = measured.reduce((most, one) =>
        one.nanosecondsPerByte > most.nanosecondsPerByte ? one : most,
      )
      return [
        surface,
        dearest.bytes,
        steepestOf(measured),
        `\`${dearest.name}\``,
        dearest.nanosecondsPerByte.toFixed(1),
        ((dearest.nanosecondsPerByte * dearest.bytes) / 1e6).toFixed(1),
      ]
    }),
  })
})
