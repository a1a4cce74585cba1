import { expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPkce, authorizeParameters } from '../support/browser-like.ts'
import { aBrowserSchool, typePassword } from '../support/browser-school.ts'
import { exchange } from '../support/client-like.ts'
import { aWorld } from '../support/world.ts'

/** The one walk in a browser that `npm test` keeps; all others are beside it. */
const world = await aWorld()
const { school, aPage } = await aBrowserSchool(world)

verifies(
  ['pages.consent.interactive', 'pages.consent.buttons', 'pages.sign-in.form'],
  'a person signs in, allows, and the app gets a code that works',
  async () => {
    const ada = await world.aMember(school)
    const redirectUri = `${school.origin}/healthz`
    const client = await world.aPublicClient(school, { redirectUris: [redirectUri] })
    const pkce = aPkce()
    const page = await aPage({ javaScriptEnabled: false })
    await page.goto(`/oauth/authorize?${authorizeParameters(school, client, pkce)}`)
    await typePassword(page, ada)
    await page.waitForURL('**/consent?*')
    expect(await page.locator('h1').innerText()).toContain('wants to use your account')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${redirectUri}?*`)
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    const answer = await exchange(world, school, client, code, pkce.verifier)
    expect(answer.statusCode).toBe(200)
  },
)
