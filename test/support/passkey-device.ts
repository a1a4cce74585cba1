import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { type Answer, hiddenFields, type Visitor } from './browser-like.ts'

/** What a device asserts about a use: that a person was there, and that it checked who. */
interface Use {
  readonly present?: boolean
  readonly verified?: boolean
  readonly counter?: number
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly userHandle?: string | null
  readonly crossOrigin?: boolean
  readonly topOrigin?: string
}

interface Held {
  readonly id: string
  readonly rpId: string
  readonly userHandle: string
  readonly key: KeyObject
  readonly cose: Buffer
}

const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10, attested: 0x40 }

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/**
 * A device that holds passkeys, and does whatever a test asks of it: no browser checks anything
 * here.
 */
export class PasskeyDevice {
  readonly #origin: string
  readonly #isSynced: boolean
  readonly #held: Held[] = []

  constructor(origin: string, { isSynced = false } = {}) {
    this.#origin = origin
    this.#isSynced = isSynced
  }

  /** The id of the passkey that was made last. */
  get credentialId(): string {
    return this.#last().id
  }

  #last(): Held {
    const held = this.#held.at(-1)
    if (held === undefined) throw new Error('this device holds no passkey')
    return held
  }

  /** Makes a passkey for the question on a page; returns what the browser would send. */
  make(options: PasskeyOptions, use: Use = {}): string {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
    const id = randomBytes(20)
    const held = {
      id: id.toString('base64url'),
      rpId: use.rpId ?? options.rp?.id ?? '',
      userHandle: options.user?.id ?? '',
      key: privateKey,
      cose,
    }
    this.#held.push(held)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, id, cose])
    return JSON.stringify({
      id: held.id,
      rawId: held.id,
      type: 'public-key',
      clientExtensionResults: { credProps: { rk: true } },
      authenticatorAttachment: 'platform',
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options, use).toString('base64url'),
        authenticatorData: this.#data(held.rpId, use, attested).toString('base64url'),
        attestationObject: 'never-read',
        transports: ['internal'],
      },
    })
  }

  /** Proves the passkey that was made last. */
  prove(options: PasskeyOptions, use: Use = {}): string {
    const held = this.#last()
    const clientData = this.#clientData('webauthn.get', options, use)
    const data = this.#data(use.rpId ?? held.rpId, use)
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), held.key)
    return JSON.stringify({
      id: held.id,
      rawId: held.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: use.userHandle === undefined ? held.userHandle : use.userHandle,
      },
    })
  }

  #clientData(type: string, { challenge }: PasskeyOptions, use: Use): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: use.type ?? type,
        challenge: use.challenge ?? challenge,
        origin: use.origin ?? this.#origin,
        crossOrigin: use.crossOrigin ?? false,
        ...(use.topOrigin === undefined ? {} : { topOrigin: use.topOrigin }),
      }),
    )
  }

  #data(rpId: string, use: Use, attested?: Buffer): Buffer {
    const { present = true, verified = true, counter = 0 } = use
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const flags =
      (present ? FLAGS.present : 0) |
      (verified ? FLAGS.verified : 0) |
      (this.#isSynced ? FLAGS.eligible | FLAGS.backedUp : 0) |
      (attested === undefined ? 0 : FLAGS.attested)
    return Buffer.concat([
      sha256(rpId),
      Buffer.from([flags]),
      count,
      ...(attested === undefined ? [] : [attested]),
    ])
  }
}

export interface PasskeyOptions {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id: string; readonly name: string }
  readonly user?: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly excludeCredentials?: readonly { readonly id: string }[]
}

/** The question to a device on a page. */
export function questionOn(page: Answer): PasskeyOptions {
  const [, options] = /data-passkey-options="([^"]*)"/.exec(page.body) ?? []
  if (options === undefined) throw new Error(`no question in: ${page.body.slice(0, 300)}`)
  return JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

/** The signed-in visitor adds a passkey of this device. */
export async function addPasskey(
  visitor: Visitor,
  device: PasskeyDevice,
  use: Use = {},
): Promise<Answer> {
  const page = await visitor.get('/account/passkeys')
  return await visitor.post('/account/passkeys', {
    ...hiddenFields(page.body, '/account/passkeys'),
    passkey: device.make(questionOn(page), use),
  })
}

/** Sends the sign-in form with the answer of the device. */
export async function signInWith(
  visitor: Visitor,
  device: PasskeyDevice,
  use: Use = {},
  path = '/sign-in',
): Promise<Answer> {
  const page = await visitor.follow(await visitor.get(path))
  return await sendProof(visitor, page, device.prove(questionOn(page), use))
}

export async function sendProof(visitor: Visitor, page: Answer, passkey: string): Promise<Answer> {
  const fields = { ...hiddenFields(page.body, '/sign-in'), passkey }
  return await visitor.post('/sign-in/passkey', fields)
}

/**
 * At the school of the passkey: proves it for a visitor of another school, who wants to open this
 * page.
 */
export async function proveForOther(
  other: Visitor,
  path: string,
  device: PasskeyDevice,
  here: Visitor,
): Promise<Answer> {
  return await other.get(await linkWithProof(other, path, device, here))
}

/** The address at the other school that brings the proof there. */
export async function linkWithProof(
  other: Visitor,
  path: string,
  device: PasskeyDevice,
  here: Visitor,
): Promise<string> {
  const asked = await other.get(path)
  const [, link] = /href="[^"]*(\/confirm\/other-school\?for=[^"]+)"/.exec(asked.body) ?? []
  if (link === undefined) throw new Error(`no other school in: ${asked.body.slice(0, 300)}`)
  await signInWith(here, device)
  const page = await here.get(link)
  const place = '/confirm/other-school'
  const { body } = await here.post(place, hiddenFields(page.body, place))
  return /href="[^"]*(\/confirm\/other-school\/proved\?proof=[^"]+)"/.exec(body)?.[1] ?? ''
}
