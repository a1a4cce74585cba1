import { beforeAll, describe, expect } from 'vitest'
import { DEMO_PASSWORD } from '../../src/demo/demo-world.ts'
import { demoPerson, demoSchoolsAt } from '../flows/mcp/tool-endpoint.ts'
import { verifies } from '../spec/verifies.ts'
import {
  addressesOf,
  type Crawl,
  crawlAdminArea,
  digestOf,
  type RoutePattern,
  secretsOf,
} from '../support/admin-crawl.ts'
import { type Answer, hiddenFields, type Visitor } from '../support/browser-like.ts'
import { aDemoWorld } from '../support/demo-database.ts'
import { aJob } from '../support/jobs.ts'
import { anOwner, signedIn } from '../support/operator-like.ts'
import { aTool } from '../support/tools.ts'
import { PNG, uploadTo } from '../support/uploading.ts'
import type { TestSchool, World } from '../support/world.ts'

/**
 * Every admin page and form, found by the router and by following links, is tried at one school
 * with the ids of another. A new form is in this test without a change here.
 */

const routes: RoutePattern[] = []
let world: World
let theirs: TestSchool
let theirCrawl: Crawl
let owner: Visitor
let formToken: string
let secrets: readonly string[]

beforeAll(async () => {
  world = await aDemoWorld({
    onRoute: ({ method, url }) => {
      for (const one of [method].flat()) {
        if (url.startsWith('/admin') && (one === 'GET' || one === 'POST')) {
          routes.push({ method: one, url })
        }
      }
    },
  })
  const schoolOf = await demoSchoolsAt(world)
  const { origin } = await schoolOf('demo')
  theirs = await world.theSchoolAt(origin)
  await aTool(world, theirs)
  await aJob(world, theirs, { name: 'test.wait', run: async () => ({}) }, {})
  const person = { ...(await demoPerson(world, 'owner@demo.test')), password: DEMO_PASSWORD }
  theirCrawl = await crawlAdminArea(await signedIn(world, theirs, person), routes)
  secrets = await secretsOf(world, theirs)
  owner = await anOwner(world, await world.aSchool({ mcpConnections: true }))
  const { body } = await owner.get('/account')
  formToken = hiddenFields(body, '/sign-out').form_token ?? ''
})

function expectNoLeak(answer: Answer, told: string): void {
  const leaked = secrets.filter((secret) => answer.body.includes(secret))
  expect(leaked, told).toEqual([])
}

describe('an owner who opens the pages and sends the forms of another school', () => {
  verifies(
    'house.tenancy.forms',
    'finds nothing at any address with an id of the other school',
    async () => {
      const addresses = addressesOf(routes, theirCrawl.pages)
      const unreached = addresses.filter(({ address }) => address === undefined)
      expect(unreached, 'add such an object to the demo world or to this test').toEqual([])
      const before = await digestOf(world, theirs)
      for (const { method, address = '' } of addresses) {
        const answer =
          method === 'GET'
            ? await owner.get(address)
            : await owner.post(address, { form_token: formToken })
        // Only forms with files refuse this body.
        const judged =
          answer.statusCode === 415
            ? await uploadTo(owner, address, { bytes: PNG, token: formToken })
            : answer
        const told = `${method} ${address}: ${judged.statusCode}`
        expect(judged.statusCode, told).toBe(404)
        expectNoLeak(judged, told)
      }
      expect(addresses.length).toBeGreaterThan(100)
      expect(await digestOf(world, theirs)).toBe(before)
    },
  )

  verifies(
    'house.tenancy.forms',
    'changes nothing by sending the filled-in forms of the other school',
    async () => {
      const before = await digestOf(world, theirs)
      for (const { action, multipart, fields } of theirCrawl.forms) {
        const answer = multipart
          ? await uploadTo(owner, action, { bytes: PNG, token: formToken })
          : await owner.post(action, [['form_token', formToken], ...fields.map(copy)])
        const told = `${action}: ${answer.statusCode}`
        expect(answer.statusCode, told).toBeLessThan(500)
        // What the form itself held comes back in a refusal; anything else would be read at the
        // other school.
        const sent = JSON.stringify(fields)
        const leaked = secrets.filter((one) => answer.body.includes(one) && !sent.includes(one))
        expect(leaked, told).toEqual([])
      }
      expect(theirCrawl.forms.length).toBeGreaterThan(100)
      expect(await digestOf(world, theirs)).toBe(before)
    },
  )
})

function copy([name, value]: readonly [string, string]): [string, string] {
  return [name, value]
}
