import { aPkce } from '../../support/browser-like.ts'
import type { Browser } from './browser.ts'
import type { Caller, Reply, Sent } from './caller.ts'
import type { Ledger, LedgerPair } from './ledger.ts'
import { type Patience, persist } from './retries.ts'

export interface ClientApp {
  readonly clientId: string
  readonly secret?: string
  readonly redirectUri: string
  readonly scope: string
}

/** Everything that a session of a client needs to know. */
export interface Surroundings {
  readonly caller: Caller
  readonly patience: Patience
  readonly ledger: Ledger
}

/**
 * One installation of a client with its tokens. It behaves by the protocol: it uses the newest
 * pair, repeats what had no answer, and forgets tokens that it revoked.
 */
export class Session {
  readonly #around: Surroundings
  readonly #browser: Browser
  readonly #client: ClientApp
  #pair: LedgerPair | undefined
  /** Pairs that end when the newest access token is used. */
  #former: LedgerPair[] = []

  constructor(around: Surroundings, browser: Browser, client: ClientApp) {
    this.#around = around
    this.#browser = browser
    this.#client = client
  }

  get pair(): LedgerPair | undefined {
    return this.#pair
  }

  async signIn(): Promise<void> {
    const { ledger } = this.#around
    while (this.#pair === undefined) {
      const pkce = aPkce()
      const callback = await this.#browser.authorize(this.#authorizationRequest(pkce.challenge))
      const code = callback?.get('code')
      if (typeof code !== 'string') continue
      ledger.confirmed.codes += 1
      const { reply, isRepeated } = await this.#token({
        grant_type: 'authorization_code',
        code,
        redirect_uri: this.#client.redirectUri,
        code_verifier: pkce.verifier,
      })
      if (reply.status === 200) {
        ledger.confirmed.exchanges += 1
        this.#take(reply, ledger.newAuthorization())
      }
      // A code works once. If the first answer was lost, the person agrees again.
      else if (!isRepeated) ledger.lost.push(`a code was refused: ${reply.body}`)
    }
  }

  /** Sends a request with the access token; the answer must not be a refusal. */
  async use(request: (access: string) => Sent): Promise<Reply | undefined> {
    const { ledger, caller, patience } = this.#around
    const pair = await this.#current()
    for (const one of this.#former) ledger.ending(one, Date.now())
    const { reply } = await persist(caller, patience, request(pair.access))
    if (reply.status === 401) {
      ledger.lost.push(`a confirmed access token was refused: ${reply.body}`)
      await this.refresh()
      return undefined
    }
    for (const one of this.#former.splice(0)) ledger.ended(one, Date.now())
    return reply
  }

  async refresh({ loseAnswer = false } = {}): Promise<void> {
    const { ledger, caller } = this.#around
    const pair = await this.#current()
    const form = { grant_type: 'refresh_token', refresh_token: pair.refresh }
    if (loseAnswer) await caller.send({ ...this.#tokenRequest(form), abandon: true })
    const { reply } = await this.#token(form)
    if (reply.status === 200) {
      ledger.confirmed.refreshes += 1
      this.#former.push(pair)
      this.#take(reply, pair.authorization)
      return
    }
    ledger.signedOut.push(`a refresh was refused: ${reply.status} ${reply.body}`)
    this.#forget()
  }

  /**
   * Revokes the pair, and with an unused one its ancestors; another authorization is needed
   * afterwards.
   */
  async revoke(by: 'access' | 'refresh'): Promise<void> {
    const { ledger, caller, patience } = this.#around
    const pair = await this.#current()
    const ends = [pair, ...this.#former]
    for (const one of ends) ledger.ending(one, Date.now())
    const form = { token: pair[by], ...this.#credentials() }
    const { reply } = await persist(caller, patience, { path: '/api/oauth/revoke', form })
    if (reply.status !== 200) throw new Error(`not revoked: ${reply.status} ${reply.body}`)
    ledger.confirmed.revocations += 1
    for (const one of ends) ledger.ended(one, Date.now())
    this.#forget()
  }

  async #current(): Promise<LedgerPair> {
    if (this.#pair === undefined) await this.signIn()
    if (this.#pair === undefined) throw new Error('no pair')
    return this.#pair
  }

  #take(reply: Reply, authorization: number): void {
    const { access_token: access, refresh_token: refresh } = JSON.parse(reply.body)
    const { clientId } = this.#client
    this.#pair = this.#around.ledger.minted({
      ...{ access, refresh, clientId, authorization },
      mintedAt: Date.now(),
    })
  }

  #forget(): void {
    this.#pair = undefined
    this.#former = []
  }

  #token(form: Record<string, string>) {
    const { caller, patience } = this.#around
    return persist(caller, patience, this.#tokenRequest(form))
  }

  #tokenRequest(form: Record<string, string>): Sent {
    const { origin: resource } = this.#around.caller
    return { path: '/api/oauth/token', form: { ...form, ...this.#credentials(), resource } }
  }

  #credentials(): Record<string, string> {
    const { clientId, secret } = this.#client
    return { client_id: clientId, ...(secret === undefined ? {} : { client_secret: secret }) }
  }

  #authorizationRequest(challenge: string): URLSearchParams {
    const { clientId, redirectUri, scope } = this.#client
    return new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      resource: this.#around.caller.origin,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'a state',
      nonce: 'a nonce',
    })
  }
}
