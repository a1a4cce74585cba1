import { describe, expect, test } from 'vitest'
import { signedIn as atConsent } from '../../support/authorization.ts'
import type { Visitor } from '../../support/browser-like.ts'
import { ageProof } from '../../support/old-proof.ts'
import { aBetaSchool, anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { aPng, aTurnedJpeg } from '../../support/pictures.ts'
import { uploadTo } from '../../support/uploading.ts'
import { CALLBACK, sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const APPS = '/admin/developers/applications'

const fieldsWith = (links: Record<string, string>): [string, string][] => [
  ['name', 'Study Planner'],
  ['redirect_uris', CALLBACK],
  ['scopes', 'openid'],
  ...Object.entries(links),
]

async function anApp(owner: Visitor, links: Record<string, string> = {}): Promise<string> {
  const made = await submit(owner, `${APPS}/new`, APPS, fieldsWith(links))
  return /applications\/([^?]*)/.exec(String(made.headers.location))?.[1] ?? ''
}

async function consentAt(school: TestSchool, clientId: string): Promise<string> {
  const client = { clientId, secret: undefined, redirectUri: CALLBACK }
  const person = await world.aMember(school)
  return (await atConsent({ world, school, client, person }, { scope: 'openid' })).page.body
}

const logoIn = (html: string) => /\/app-logos\/[0-9a-f-]+/.exec(html)?.[0]

const send = (owner: Visitor, clientId: string, bytes: Buffer, extra: object = {}) =>
  uploadTo(owner, `${APPS}/${clientId}/logo`, { field: 'picture', bytes, ...extra })

describe('website and privacy notice', () => {
  test('are saved with the application and linked on the consent page, with who added it', async () => {
    const school = await aBetaSchool(world)
    const owner = await anOwner(world, school)
    const website_url = 'https://planner.example/about'
    const clientId = await anApp(owner, { website_url, privacy_url: 'https://legal.example/p' })
    const html = await consentAt(school, clientId)
    expect(html).toContain('href="https://planner.example/about" rel="noreferrer noopener"')
    expect(html).toContain('href="https://legal.example/p" rel="noreferrer noopener"')
    expect(html).toContain('Added by')
    const page = `${APPS}/${clientId}`
    await submit(owner, page, page, fieldsWith({ website_url: '', privacy_url: '' }))
    expect(await consentAt(school, clientId)).not.toContain('https://')
  })

  test.each([
    'javascript:alert(1)',
    'http://planner.example',
    'https://a:b@bank.example',
    'planner',
  ])('%s would lead people astray and is refused', async (website_url) => {
    const owner = await anOwner(world, await aBetaSchool(world))
    const answer = await submit(owner, `${APPS}/new`, APPS, fieldsWith({ website_url }))
    expect(answer.statusCode).toBe(422)
    expect(answer.body).toContain('Use an https address')
  })
})

describe('the logo of an application', () => {
  test('is shown on consent and at Connected apps from our own origin, and can be replaced and removed', async () => {
    const school = await aBetaSchool(world)
    const owner = await anOwner(world, school)
    const clientId = await anApp(owner)
    expect((await send(owner, clientId, aPng(32))).headers.location).toContain('done=logo')
    const first = logoIn(await consentAt(school, clientId)) ?? ''
    const served = await owner.get(first)
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    })
    expect(served.headers['content-security-policy']).toContain('sandbox')
    expect(served.rawPayload.equals(aPng(32))).toBe(true)
    await send(owner, clientId, aPng(48))
    const second = logoIn(await consentAt(school, clientId))
    expect(second).not.toBe(first)
    expect((await owner.get(first)).statusCode).toBe(404)
    for (let times = 0; times < 2; times++) {
      await send(owner, clientId, Buffer.from('yes'), { field: 'remove' })
    }
    expect(logoIn(await consentAt(school, clientId))).toBeUndefined()
    const audit = await school.db
      .from('audit_entries')
      .select('detail')
      .where('action', '=', 'client.changed')
      .orderBy('id')
      .execute()
    const via = 'admin_area'
    expect(audit.map(({ detail }) => detail)).toEqual([
      { logo: 'added', via },
      { logo: 'replaced', via },
      { logo: 'removed', via },
    ])
  })

  test.each([
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), 'not a PNG'],
    [Buffer.concat([aPng(32), Buffer.alloc(64 * 1024)]), 'larger than 64 kB'],
    [aTurnedJpeg(64 * 1024), 'larger than 64 kB'],
    [aPng(8), 'sides of 16 to 4096'],
    [Buffer.alloc(0), 'Choose a picture first'],
  ])(
    'that is a script, too large before or after it is cleaned, too small or empty is refused',
    async (bytes, why) => {
      const owner = await anOwner(world, await aBetaSchool(world))
      const answer = await send(owner, await anApp(owner), bytes)
      expect(answer.statusCode).toBe(422)
      expect(answer.body).toContain(why)
    },
  )

  test('of another school is neither served nor changed, and a student cannot change one', async () => {
    const [school, other] = [await aBetaSchool(world), await aBetaSchool(world)]
    const owner = await anOwner(world, school)
    const clientId = await anApp(owner)
    await send(owner, clientId, aPng(32))
    const path = logoIn(await consentAt(school, clientId)) ?? ''
    const stranger = await anOwner(world, other)
    expect((await stranger.get(path)).statusCode).toBe(404)
    expect((await send(stranger, clientId, aPng(64))).statusCode).toBe(404)
    const student = await signedIn(world, school, await world.aMember(school))
    expect((await send(student, clientId, aPng(64))).statusCode).toBe(403)
    expect((await send(owner, clientId, aPng(64), { token: 'forged' })).statusCode).toBe(403)
    expect(logoIn(await consentAt(school, clientId))).toBe(path)
  })

  test('a thief with an old session cannot make an app look like another at consent', async () => {
    const school = await aBetaSchool(world)
    const person = await world.aMember(school, ['owner'])
    const owner = await signedIn(world, school, person)
    const clientId = await anApp(owner)
    const page = `${APPS}/${clientId}/logo`
    await send(owner, clientId, aPng(32))
    const shown = logoIn(await consentAt(school, clientId))
    await ageProof(world, person)
    const asked = `/confirm?return_to=${encodeURIComponent(page)}`
    for (const answer of [
      await owner.get(page),
      await send(owner, clientId, aPng(64)),
      await send(owner, clientId, Buffer.from('yes'), { field: 'remove' }),
    ]) {
      expect(answer.headers.location).toBe(asked)
    }
    expect(logoIn(await consentAt(school, clientId))).toBe(shown)
    await ageProof(world, person, 9)
    expect((await owner.get(page)).body).toContain('Remove logo')
    expect((await send(owner, clientId, aPng(64))).headers.location).toContain('done=logo')
  })
})
