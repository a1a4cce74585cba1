import { expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aPkce, Visitor } from '../../support/browser-like.ts'
import { commandsAt } from '../../support/guide-commands.ts'
import { aListeningSchool } from '../../support/listening-school.ts'
import { printed } from '../../support/printed.ts'
import { aTool } from '../../support/tools.ts'
import { aWorld, type TestPerson, type TestSchool, type World } from '../../support/world.ts'

/** Opens the address in a browser, signs in and allows; gives the code in the address bar. */
async function codeOf(world: World, at: TestSchool, person: TestPerson, address: string) {
  const visitor = new Visitor(world, at)
  const { pathname, search } = new URL(address)
  const signIn = await visitor.follow(await visitor.get(pathname + search))
  const consent = await visitor.follow(await visitor.signIn(signIn, person))
  const { location } = (await visitor.decide(consent, 'allow')).headers
  expect(location).toMatch(/^http:\/\/127\.0\.0\.1:8400\/callback\?code=[^&]+&/)
  return /code=([^&]+)/.exec(String(location))?.[1] ?? ''
}

/**
 * Every member of a sample is in the answer, with a value of the same type; a list of the answer
 * may be empty.
 */
function expectMembers(answer: unknown, sample: unknown, place = ''): void {
  if (Array.isArray(sample)) {
    expect(Array.isArray(answer), place).toBe(true)
    for (const [index, given] of (answer as unknown[]).entries()) {
      expectMembers(given, sample[index] ?? sample[0], `${place}[${index}]`)
    }
  } else if (typeof sample === 'object' && sample !== null) {
    expect(answer, place).toBeTypeOf('object')
    for (const [name, value] of Object.entries(sample)) {
      expect(answer, place).toHaveProperty([name])
      expectMembers((answer as Record<string, unknown>)[name], value, `${place}.${name}`)
    }
  } else if (sample !== null) expect(typeof answer, place).toBe(typeof sample)
}

for (const variant of ['newer', 'older'] as const) {
  const world = await aWorld()
  const at = await aListeningSchool(world, {
    variant,
    signing: variant === 'newer' ? 'active' : 'none',
  })
  for (const audience of ['member', 'operator'] as const) {
    verifies(
      'guide.commands',
      `the commands of the ${variant} guide run straight through for ${audience}s`,
      async () => {
        const isMember = audience === 'member'
        const person = await world.aMember(at, isMember ? ['student'] : ['owner'])
        const { clientId } = isMember
          ? await world.aPublicClient(at)
          : await aTool(world, at, { slug: 'your-tool' })
        const blocks = await commandsAt(world, at)
        const from = (start: string, part = '') =>
          blocks.find((text) => text.startsWith(start) && text.includes(part)) ?? 'false'

        const { verifier, challenge } = aPkce()
        const set = from('CLIENT_ID=', isMember ? 'account:read' : 'courses:read')
        const before = [
          set.replace(/CLIENT_ID=.*/, `CLIENT_ID=${clientId}`),
          `VERIFIER=${verifier} CHALLENGE=${challenge}`,
        ]
        const address = await printed(...before, from('echo '))
        const code = await codeOf(world, at, person, address)

        // From here on as the page has them, with nothing set between the blocks.
        const output = await printed(
          ...before,
          from('CODE=').replace(/=.*/, `=${code}`),
          from('ANSWER=', 'authorization_code'),
          from('curl', '/userinfo'),
          from('curl', isMember ? '/member/graphql' : '/api/v1/courses'),
          'echo; FIRST=$REFRESH_TOKEN',
          from('ANSWER=', 'grant_type=refresh_token'),
          'test "$FIRST" != "$REFRESH_TOKEN"',
          from('curl', '/userinfo'),
          from('curl', '/api/oauth/revoke'),
          from('curl', '/userinfo'),
        )
        expect(output.match(/"access_token":"/g)).toHaveLength(2)
        expect(output.match(/"sub":"/g)).toHaveLength(2)
        expect(output).toContain(isMember ? '"viewer":{"id":' : '"object":"list"')
        // Only the call after sign-out is refused.
        expect(output.match(/"error"/g)).toHaveLength(1)
        expect(output).toMatch(/"error":"invalid_token"[^{}]*\}$/)
      },
    )

    verifies(
      'guide.roads',
      `the ${audience}'s road of the ${variant} guide leads from two copied blocks to the answers that it shows`,
      async () => {
        const isMember = audience === 'member'
        const person = await world.aMember(at, isMember ? ['student'] : ['owner'])
        const { clientId } = isMember
          ? await world.aPublicClient(at)
          : await aTool(world, at, { slug: 'road-tool' })
        const blocks = await commandsAt(world, at)
        const place = (number: number) =>
          blocks.findIndex(
            (text) => text.startsWith(`# ${number}. As a`) && text.includes(audience),
          )
        const part = (number: number) => blocks[place(number)] ?? 'false'
        const samples = blocks.slice(place(2) + 1, place(2) + 4).map((text) => JSON.parse(text))
        const makeVerifier = blocks.find((text) => text.startsWith('VERIFIER=')) ?? 'none'

        const { verifier, challenge } = aPkce()
        const known = `VERIFIER=${verifier} CHALLENGE=${challenge}`
        const first = part(1).replace(/CLIENT_ID=.*/, `CLIENT_ID=${clientId}`)
        expect(first).toContain(makeVerifier)
        const before = first.replace(makeVerifier, known)
        const code = await codeOf(world, at, person, await printed(before))
        const output = await printed(
          `CLIENT_ID=${clientId} ${known}`,
          part(2)
            .replace(/CODE=.*/, `CODE=${code}`)
            // Answers end without a line break.
            .replaceAll(/^curl/gm, 'echo\ncurl'),
        )
        const [token, data, tool] = output
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
        expectMembers([token, data, tool], samples)
        expect(tool.result.isError).toBeUndefined()
      },
    )
  }
}
