import { describe, expect, test } from 'vitest'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { aBetaSchool, anOwner } from '../../support/operator-like.ts'
import { aTool } from '../../support/tools.ts'
import { CALLBACK, sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const STOLEN = 'https://stolen.example/callback'

async function twoOwners(school: TestSchool) {
  return {
    first: new AdminBrowser(await anOwner(world, school)),
    second: new AdminBrowser(await anOwner(world, school)),
  }
}

async function anApplication(school: TestSchool, owner: AdminBrowser) {
  await owner.force('/admin/developers/applications', {
    name: 'Planner',
    redirect_uris: `${CALLBACK}\n${STOLEN}`,
    scopes: 'openid',
  })
  const row = () =>
    school.db
      .from('clients')
      .select(['client_id', 'name', 'redirect_uris', 'website_url'])
      .where('kind', '=', 'application')
      .where('name', '<>', 'Member API explorer')
      .executeTakeFirstOrThrow()
  return { path: `/admin/developers/applications/${(await row()).client_id}`, row }
}

describe('two operators at the same form', () => {
  test('attack: an old tab does not bring back a redirect URI that another owner removed', async () => {
    const school = await aBetaSchool(world)
    const { first, second } = await twoOwners(school)
    const { path, row } = await anApplication(school, first)
    const answer = await second.meanwhile(path, { name: 'Study planner' }, async () => {
      await first.done(path, { redirect_uris: CALLBACK })
    })
    expect(answer.statusCode).toBe(303)
    expect(await row()).toMatchObject({ name: 'Study planner', redirect_uris: [CALLBACK] })
  })

  test('what both changed is shown in both versions, and the second save decides', async () => {
    const school = await aBetaSchool(world)
    const { first, second } = await twoOwners(school)
    const { path, row } = await anApplication(school, first)
    const added = 'https://new.example/callback'
    const typed = {
      redirect_uris: `${CALLBACK}\n${STOLEN}\n${added}`,
      website_url: 'https://new.example/',
    }
    const answer = await second.meanwhile(path, typed, async () => {
      await first.done(path, { redirect_uris: CALLBACK, name: 'Renamed' })
    })
    expect(answer.statusCode).toBe(409)
    expect(answer.body).toContain('Another person saved a change while you were writing.')
    const [, , saved, mine] =
      /<th scope="row">(Redirect URIs)<\/th><td[^>]*>([^<]*)<\/td><td[^>]*>([^<]*)</.exec(
        answer.body,
      ) ?? []
    expect([saved, mine]).toEqual([CALLBACK, typed.redirect_uris])
    expect(await row()).toMatchObject({
      name: 'Renamed',
      redirect_uris: [CALLBACK],
      website_url: null,
    })

    const again = await second.fill(answer.body, path, { redirect_uris: `${CALLBACK}\n${added}` })
    expect(again.statusCode).toBe(303)
    expect(await row()).toMatchObject({
      name: 'Renamed',
      redirect_uris: [CALLBACK, added],
      website_url: 'https://new.example/',
    })
  })

  test('a form that was refused for another reason still finds the change of the other person', async () => {
    const school = await aBetaSchool(world)
    const { first, second } = await twoOwners(school)
    const { path, row } = await anApplication(school, first)
    const refused = await second.send(path, {
      name: 'Second',
      website_url: 'http://plain.example/',
    })
    expect(refused.statusCode).toBe(422)
    await first.done(path, { name: 'First' })
    const answer = await second.fill(refused.body, path, { website_url: '' })
    expect(answer.statusCode).toBe(409)
    expect(await row()).toMatchObject({ name: 'First' })
  })

  test('attack: an old tab does not give a tool back a scope that another owner took', async () => {
    const school = await aBetaSchool(world)
    const { first, second } = await twoOwners(school)
    await aTool(world, school)
    const path = '/admin/developers/tools/reports'
    const answer = await second.meanwhile(path, { name: 'Reports' }, async () => {
      await first.done(path, { scopes: ['openid'] })
    })
    expect(answer.statusCode).toBe(303)
    const row = await school.db
      .from('clients')
      .select(['name', 'scopes'])
      .where('kind', '=', 'tool')
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ name: 'Reports', scopes: ['openid'] })
  })

  test('attack: an old tab does not permit a host again that another owner removed', async () => {
    const school = await aBetaSchool(world)
    const { first, second } = await twoOwners(school)
    const path = '/admin/clients/documents'
    const page = '/admin/clients'
    const save = async (browser: AdminBrowser, html: string, hosts: string) =>
      await browser.fill(html, path, { document_hosts: hosts })
    await save(first, await first.page(page), 'good.example\nbad.example')
    const old = await second.page(page)
    await save(first, await first.page(page), 'good.example')
    const opened = await second.fill(old, path, { open_registration: 'on' })
    expect(opened.statusCode).toBe(303)
    const both = await save(second, old, 'good.example\nbad.example\nnew.example')
    expect(both.statusCode).toBe(409)
    expect(both.body).toContain('Saved now')
    const { document_hosts, open_registration } = await world.database.db
      .selectFrom('schools')
      .select(['document_hosts', 'open_registration'])
      .where('id', '=', school.id)
      .executeTakeFirstOrThrow()
    expect({ document_hosts, open_registration }).toEqual({
      document_hosts: ['good.example'],
      open_registration: true,
    })
  })

  test('attack: an old tab does not let videos of a host play again that another owner removed', async () => {
    const school = await aBetaSchool(world)
    const { first, second } = await twoOwners(school)
    const path = '/admin/settings/videos'
    const page = '/admin/settings'
    await first.fill(await first.page(page), path, { video_hosts: 'vimeo.com\nbad.example' })
    const old = await second.page(page)
    await first.fill(await first.page(page), path, { video_hosts: 'vimeo.com' })
    expect((await second.fill(old, path, {})).statusCode).toBe(303)
    const both = await second.fill(old, path, {
      video_hosts: 'vimeo.com\nbad.example\nnew.example',
    })
    expect(both.statusCode).toBe(409)
    const { video_hosts } = await world.database.db
      .selectFrom('schools')
      .select('video_hosts')
      .where('id', '=', school.id)
      .executeTakeFirstOrThrow()
    expect(video_hosts).toEqual(['vimeo.com'])
  })
})
