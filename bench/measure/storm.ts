import { Client } from 'undici'
import { FORM } from '../play.ts'

/**
 * People sign in with wrong passwords all the time: every attempt hashes a password. Returns a
 * function that ends it, and the number of attempts.
 */
export function startSignInStorm(port: number, host: string, people: number): Storm {
  const state = { goesOn: true, tries: 0 }
  const crowd = Array.from({ length: people }, (_, n) => signInRepeatedly(port, host, n, state))
  return {
    async stop() {
      state.goesOn = false
      await Promise.all(crowd)
      return state.tries
    },
  }
}

/** Counts the people of all storms: each signs in only once, or the throttle would refuse them. */
let usedPeople = 0

export interface Storm {
  stop(): Promise<number>
}

async function signInRepeatedly(
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
    const one = usedPeople++
    state.tries++
    form.set('email', `stranger${n}-${one}@bench.test`)
    // Each person also has another address.
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
    if (statusCode === 429) throw new Error('the sign-in was refused')
  }
  await client.close()
}

function hiddenFields(html: string): [string, string][] {
  return [...html.matchAll(/<input\b[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
    /name="([^"]*)"/.exec(input)?.[1] ?? '',
    /value="([^"]*)"/.exec(input)?.[1] ?? '',
  ])
}
