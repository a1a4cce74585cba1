import type { HttpAnswer, RunningServer } from '../faults/support/running-server.ts'
import { aPkce, hiddenFields } from '../support/browser-like.ts'

const CALLBACK = 'http://127.0.0.1/callback'

export interface Pair {
  readonly access_token: string
  readonly refresh_token: string
}

/** A person of the demo world, signed in at the demo school of a running server. */
export class DemoVisitor {
  readonly #server: RunningServer
  readonly #cookies = new Map<string, string>()

  private constructor(server: RunningServer) {
    this.#server = server
  }

  /** What a browser sends to sign in. */
  static async signInForm(server: RunningServer, email: string) {
    const visitor = new DemoVisitor(server)
    const fields = hiddenFields((await visitor.#ask('/sign-in')).body, '/sign-in')
    const form = { ...fields, email, password: 'schoolgate-demo' }
    return { visitor, cookie: visitor.#cookie, form }
  }

  static async signedIn(server: RunningServer, email: string): Promise<DemoVisitor> {
    const { visitor, form } = await DemoVisitor.signInForm(server, email)
    const { status, body } = await visitor.#ask('/sign-in', form)
    if (status !== 303) throw new Error(`not signed in: ${status} ${body.slice(0, 300)}`)
    return visitor
  }

  /** A new authorization of the public client, and its first pair. */
  async aPair(): Promise<Pair> {
    const { verifier, challenge } = aPkce()
    const origin = `http://localhost:${this.#server.port}`
    const client = { client_id: 'demo-public', redirect_uri: CALLBACK, resource: origin }
    const query = new URLSearchParams({
      ...client,
      response_type: 'code',
      scope: 'openid profile email account:read account:write',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    let answer = await this.#ask(`/oauth/authorize?${query}`)
    for (let hops = 0; hops < 8 && answer.headers.location?.startsWith('/'); hops++) {
      answer = await this.#ask(answer.headers.location)
    }
    if (answer.status === 200) {
      const fields = hiddenFields(answer.body, '/consent')
      answer = await this.#ask('/consent', { ...fields, decision: 'allow' })
    }
    const code = new URL(answer.headers.location ?? '', origin).searchParams.get('code')
    if (code === null) throw new Error(`no code: ${answer.status} ${answer.body.slice(0, 300)}`)
    const form = { ...client, grant_type: 'authorization_code', code, code_verifier: verifier }
    return JSON.parse((await this.#ask('/api/oauth/token', form)).body)
  }

  get #cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async #ask(path: string, form?: Record<string, string>): Promise<HttpAnswer> {
    const cookie = this.#cookie
    const answer = await this.#server.ask(path, {
      headers: {
        accept: 'text/html',
        origin: `http://localhost:${this.#server.port}`,
        ...(cookie === '' ? {} : { cookie }),
      },
      ...(form === undefined ? {} : { form }),
    })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return answer
  }
}
