import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  enterCode,
  enterPassword,
  type SecondFactorOf,
  withSecondFactor,
} from '../../support/authenticator.ts'
import { aPkce, authorizeParameters, Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { ageProof } from '../../support/old-proof.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice, signInWith } from '../../support/passkey-device.ts'
import { PASSWORD, sharedWorld, type TestPerson } from '../../support/world.ts'

const SFA = 'https://refeds.org/profile/sfa'
const MFA = 'https://refeds.org/profile/mfa'
const world = await sharedWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)

/** The claims of the ID token about how the person signed in. */
async function claimsFor(visitor: Visitor, person: TestPerson, acrValues?: string) {
  const parameters = acrValues === undefined ? {} : { acr_values: acrValues }
  const pair = await aPair(world, school, client, person, { visitor, parameters })
  const { acr, amr } = decodeJwt(pair.id_token ?? '')
  return { acr, amr }
}

async function signedInByCode(person: TestPerson, { app }: SecondFactorOf): Promise<Visitor> {
  const visitor = new Visitor(world, school)
  await enterCode(visitor, await enterPassword(visitor, person), app.code())
  return visitor
}

describe('acr and amr in the ID token', () => {
  test('are absent unless the client sent acr_values', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    expect(await claimsFor(visitor, ada)).toEqual({ acr: undefined, amr: undefined })
    expect(await claimsFor(visitor, ada, '')).toEqual({ acr: undefined, amr: undefined })
  })

  test('after a password: one factor, whatever was asked for, because acr_values is voluntary', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    for (const asked of [SFA, MFA, `phr ${MFA}`, '1 2']) {
      expect(await claimsFor(visitor, ada, asked)).toEqual({ acr: SFA, amr: ['pwd'] })
    }
  })

  test('after password and code: two factors', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedInByCode(ada, await withSecondFactor(world, school, ada))
    const amr = ['pwd', 'otp', 'mfa']
    expect(await claimsFor(visitor, ada, MFA)).toEqual({ acr: MFA, amr })
    expect(await claimsFor(visitor, ada, `phr ${SFA} ${MFA}`)).toEqual({ acr: SFA, amr })
  })

  test('a client cannot make a session look stronger than it is', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const { acr } = await claimsFor(visitor, ada, `${MFA} phr ${MFA} urn:x`)
    expect(acr).toBe(SFA)
  })

  test('say what was true when the person agreed, not when the code is exchanged', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await claimsFor(visitor, ada, MFA)
    const codes = await school.db
      .from('authorization_codes')
      .select(['acr', 'amr'])
      .where('user_id', '=', ada.id)
      .execute()
    expect(codes).toEqual([{ acr: SFA, amr: ['pwd'] }])
  })
})

describe('a session that was begun with a passkey', () => {
  test('is no longer resistant to phishing when a thief with the cookie and the password confirms it', async () => {
    const ada = await world.aMember(school)
    const device = new PasskeyDevice(school.origin)
    await addPasskey(await signedIn(world, school, ada), device)
    const visitor = new Visitor(world, school)
    await signInWith(visitor, device)
    expect(await claimsFor(visitor, ada, `phr ${MFA}`)).toEqual({ acr: 'phr', amr: ['swk', 'mfa'] })
    await ageProof(world, ada)
    const confirmed = await submit(visitor, '/confirm', '/confirm', { password: PASSWORD })
    expect(confirmed.statusCode).toBe(303)
    const amr = ['swk', 'pwd', 'mfa']
    expect(await claimsFor(visitor, ada, MFA)).toEqual({ acr: MFA, amr })
    expect((await claimsFor(visitor, ada, `phr ${SFA}`)).acr).toBe(SFA)
  })
})

describe('a client that asks for two factors', () => {
  /** A person in a browser that they trust, whose session was begun without a code. */
  async function inTrustedBrowser() {
    const ada = await world.aMember(school)
    const factor = await withSecondFactor(world, school, ada)
    const visitor = new Visitor(world, school)
    const page = await enterPassword(visitor, ada)
    await enterCode(visitor, page, factor.app.code(), { trust: 'yes' })
    expect((await enterPassword(visitor, ada)).statusCode).toBe(303)
    return { ada, factor, visitor }
  }

  const authorize = async (visitor: Visitor, acrValues: string) => {
    const query = authorizeParameters(school, client, aPkce(), { acr_values: acrValues })
    return await visitor.follow(await visitor.get(`/oauth/authorize?${query}`))
  }

  test('makes a person sign in again who can, and a trusted browser does not count', async () => {
    const { ada, factor, visitor } = await inTrustedBrowser()
    expect(await claimsFor(visitor, ada, SFA)).toEqual({ acr: SFA, amr: ['pwd'] })
    const form = await authorize(visitor, MFA)
    expect(form.body).toContain('name="password"')
    const step = await visitor.signIn(form, ada)
    expect(step.body).toContain('Enter your code')
    const consent = await visitor.follow(await enterCode(visitor, step, factor.app.code(1)))
    expect(consent.body).toContain('value="allow"')
    expect(await claimsFor(visitor, ada, MFA)).toEqual({ acr: MFA, amr: ['pwd', 'otp', 'mfa'] })
  })

  test('does not ask for what the person cannot reach', async () => {
    const { visitor } = await inTrustedBrowser()
    expect((await authorize(visitor, 'phr')).body).toContain('value="allow"')
    const bob = await signedIn(world, school, await world.aMember(school))
    expect((await authorize(bob, MFA)).body).toContain('value="allow"')
  })
})
