import type { Application } from '../recipes/application.ts'
import { Between } from './between.ts'
import { DemoServer, freePort } from './demo-server.ts'
import { Person } from './person.ts'
import type { Trial } from './tried-client.ts'

const SCOPES = 'openid profile email account:read account:write'

/** The demo school, what stands before it, and a member of it. */
export class DemoPlace {
  readonly server: DemoServer
  readonly between: Between
  readonly origin: string
  /** The port of the tried client, if it listens. */
  port = 0
  ada: Person

  private constructor(server: DemoServer, between: Between) {
    this.server = server
    this.between = between
    this.origin = `http://localhost:${server.port}`
    this.ada = this.#newAda()
  }

  static async open(): Promise<DemoPlace> {
    const server = await DemoServer.start()
    return new DemoPlace(server, await Between.listen(server.port))
  }

  async close(): Promise<void> {
    await this.between.close()
    await this.server.stop()
  }

  /** A new browser for Ada, and a new application with the redirect URI that this client has. */
  async prepare({ name, application = {} }: Trial): Promise<Application> {
    this.between.forget()
    this.ada = this.#newAda()
    this.port = await freePort()
    const app = `http://127.0.0.1:${this.port}`
    const redirectUri = `${app}${application.callback ?? '/callback'}`
    const { afterSignOut, isPublic = false } = application
    const made = await this.server.command(
      ...['client', 'create', '--school', 'demo', '--name', name, '--scopes', SCOPES],
      ...['--redirect-uri', redirectUri, ...(isPublic ? [] : ['--confidential'])],
      ...(afterSignOut === undefined
        ? []
        : ['--post-logout-redirect-uri', `${app}${afterSignOut}`]),
    )
    return {
      origin: this.origin,
      clientId: String(made.clientId),
      clientSecret: isPublic ? '' : String(made.clientSecret),
      redirectUri,
    }
  }

  /** Whether the newest refresh token is over. It asks as the client would. */
  async isSignedOut({ clientId, clientSecret, origin }: Application): Promise<boolean> {
    const answer = await fetch(`${origin}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: clientId,
        ...(clientSecret === '' ? {} : { client_secret: clientSecret }),
        refresh_token: this.between.lastRefreshToken,
        resource: origin,
      }),
    })
    const { error } = (await answer.json()) as { error?: string }
    return error === 'invalid_grant'
  }

  /** For a client that ends the session of the browser too: the school asks Ada to sign in again. */
  async expectSessionEnded(): Promise<void> {
    const { status, url } = await this.ada.open(`${this.origin}/account`, `${this.origin}/sign-in`)
    if (status !== 0) throw new Error(`Ada is still signed in at ${url}`)
  }

  #newAda(): Person {
    return new Person(this.origin, 'ada@demo.test')
  }
}
