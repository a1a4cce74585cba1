import type { CDPSession, Page } from 'playwright-core'

interface VirtualCredential {
  readonly credentialId: string
  readonly signCount: number
}

/** A device with passkeys inside a Chromium, without any dialog. */
export class VirtualDevice {
  readonly #session: CDPSession
  readonly #id: string

  private constructor(session: CDPSession, id: string) {
    this.#session = session
    this.#id = id
  }

  static async of(page: Page): Promise<VirtualDevice> {
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable', { enableUI: false })
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return new VirtualDevice(session, authenticatorId)
  }

  /** Unplugs it, with its passkeys. */
  async remove(): Promise<void> {
    await this.#session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#id })
  }

  async credentials() {
    const answer = await this.#session.send('WebAuthn.getCredentials', {
      authenticatorId: this.#id,
    })
    return answer.credentials
  }

  /** Puts a copy from before back, with the counter that it had then. */
  async restore(credential: VirtualCredential): Promise<void> {
    const { credentialId } = credential
    const authenticatorId = this.#id
    await this.#session.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    await this.#session.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: credential as Parameters<CDPSession['send']>[1] as never,
    })
  }

  /**
   * Whether the person at the device passes its check; if not, the browser reports a cancelled
   * prompt.
   */
  async passesCheck(isUserVerified: boolean): Promise<void> {
    await this.#session.send('WebAuthn.setUserVerified', {
      authenticatorId: this.#id,
      isUserVerified,
    })
  }
}
