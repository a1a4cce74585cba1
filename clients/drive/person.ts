import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

const PASSWORD = 'schoolgate-demo'

export interface Page {
  readonly url: string
  readonly status: number
  readonly body: string
}

/** A person of the demo world with a browser that keeps cookies, follows redirects and fills in forms. */
export class Person {
  readonly #email: string
  readonly #origin: string
  readonly #jars = new Map<string, Map<string, string>>()

  constructor(origin: string, email: string) {
    this.#origin = origin
    this.#email = email
  }

  /**
   * Opens an address, or posts a form to it; signs in and allows where the school asks. Stops
   * before it opens `stopAt`.
   */
  async open(address: string, stopAt?: string, posted?: URLSearchParams): Promise<Page> {
    let url = new URL(address)
    let form = posted
    for (let steps = 0; steps < 20; steps++) {
      if (stopAt !== undefined && url.href.startsWith(stopAt)) {
        return { url: url.href, status: 0, body: '' }
      }
      const answer = await this.#ask(url, form)
      const { location, body } = answer
      if (location !== undefined) {
        url = new URL(location, url)
        form = undefined
        continue
      }
      const next = url.origin === this.#origin ? this.#fillIn(body) : undefined
      if (next === undefined) return { url: url.href, status: answer.status, body }
      url = new URL(next.action, url)
      form = next.form
    }
    throw new Error(`The browser was sent from page to page, the last was ${url.href}`)
  }

  /** What a client that shows an address and waits for the callback needs. */
  readonly consent = async (address: string, redirectUri: string): Promise<string> => {
    const { url, status, body } = await this.open(address, redirectUri)
    if (status === 0) return url
    throw new Error(`No way back to the client, but ${status} at ${url}: ${textOf(body)}`)
  }

  #fillIn(body: string): { action: string; form: URLSearchParams } | undefined {
    for (const [action, typed] of [
      ['/sign-in', { email: this.#email, password: PASSWORD }],
      ['/consent', { decision: 'allow' }],
      ['/oauth/logout', {}],
    ] as const) {
      const form = new RegExp(`<form\\b[^>]*action="${action}"[^>]*>([\\s\\S]*?)</form>`).exec(body)
      if (form?.[1] === undefined) continue
      const hidden = form[1].matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
      const fields = [...hidden].map(([, name = '', value = '']): [string, string] => [
        name,
        value.replaceAll('&amp;', '&'),
      ])
      return { action, form: new URLSearchParams([...fields, ...Object.entries(typed)]) }
    }
    return undefined
  }

  async #ask(url: URL, form: URLSearchParams | undefined): Promise<Answer> {
    const jar = this.#jars.get(url.hostname) ?? new Map<string, string>()
    this.#jars.set(url.hostname, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await ask(url, cookie, form?.toString())
    for (const line of answer.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
}

interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly cookies: readonly string[]
  readonly body: string
}

/** Not by `fetch`: it says of itself that it is no navigation, and apps then refuse instead of redirecting. */
async function ask(url: URL, cookie: string, form: string | undefined): Promise<Answer> {
  const posts = form !== undefined
  const question = request(url, {
    method: posts ? 'POST' : 'GET',
    headers: {
      accept: 'text/html',
      cookie,
      ...(posts
        ? { origin: url.origin, 'content-type': 'application/x-www-form-urlencoded' }
        : { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }),
    },
  })
  question.end(form)
  const [answer] = (await once(question, 'response')) as [IncomingMessage]
  const { location, 'set-cookie': cookies = [] } = answer.headers
  return { status: answer.statusCode ?? 0, location, cookies, body: await text(answer) }
}

/** The words of a page, for an error message. */
export function textOf(html: string): string {
  const words = html.replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, ' ')
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, 300)
}
