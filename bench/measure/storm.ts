import { Client } from 'undici'
import { FORM } from '../play.ts'

/**
 * People who sign in with wrong passwords, all at once and again and again: every try hashes a
 * password. Returns how to end it, and how many tries there were.
 */
export function startSignInStorm(port: number, host: string, people: number): Storm {
  const state = { goesOn: true, tries: 0 }
  const crowd = Array.from({ length: people }, (_, n) => signInForEver(port, host, n, state))
  return {
    async stop() {
      state.goesOn = false
      await Promise.all(crowd)
      return state.tries
    },
  }
}

/** So far, in all storms: each person signs in once, or the throttle would refuse them. */
let strangers = 0

export interface Storm {
  stop(): Promise<number>
}

async function signInForEver(
  port: number,
  host: string,
  n: number,
  state: { goesOn: boolean; tries: number },
): Promise<void> {
  const client = new Client(`http://127.0.0.1:${port}`)
  const page = await client.request({ method: 'GET', path: '/sign-in', headers: { host } })
  const cookie = [page.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ')
  const form = new URLSearchParams(hiddenFields(await page.body.text()))
  form.set('password', 'not the right one')
  while (state.goesOn) {
    const one = strangers++
    state.tries++
    form.set('email', `stranger${n}-${one}@bench.test`)
    // From another address each, too.
    const address = `10.${one % 256}.${(one >> 8) % 256}.${n}`
    const { statusCode, body } = await client.request({
      method: 'POST',
      path: '/sign-in',
      headers: {
        ...FORM,
        host,
        cookie,
        origin: `http://${host}`,
        'x-forwarded-for': address,
      },
      body: form.toString(),
    })
    await body.dump()
    if (statusCode === 429) throw new Error('the storm was turned away')
  }
  await client.close()
}

function hiddenFields(html: string): [string, string][] {
  return [...html.matchAll(/<input\b[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
    /name="([^"]*)"/.exec(input)?.[1] ?? '',
    /value="([^"]*)"/.exec(input)?.[1] ?? '',
  ])
}
