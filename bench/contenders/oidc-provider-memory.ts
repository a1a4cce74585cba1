import type { Adapter, AdapterPayload } from 'oidc-provider'
import { serveOidcProvider } from './oidc-provider.ts'

/** A plain map: the adapter of the package keeps only a thousand entries. */
const kept = new Map<string, AdapterPayload>()
const byGrant = new Map<string, string[]>()

class MemoryAdapter implements Adapter {
  readonly #model: string

  constructor(model: string) {
    this.#model = model
  }

  #key(id: string): string {
    return `${this.#model}:${id}`
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    const key = this.#key(id)
    kept.set(key, payload)
    if (payload.grantId === undefined || this.#model === 'Grant') return
    const keys = byGrant.get(payload.grantId)
    if (keys === undefined) byGrant.set(payload.grantId, [key])
    else keys.push(key)
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return kept.get(this.#key(id))
  }

  async findByUserCode(): Promise<undefined> {}

  async findByUid(): Promise<undefined> {}

  async consume(id: string): Promise<void> {
    const payload = kept.get(this.#key(id))
    if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
  }

  async destroy(id: string): Promise<void> {
    kept.delete(this.#key(id))
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const key of byGrant.get(grantId) ?? []) kept.delete(key)
    byGrant.delete(grantId)
  }
}

await serveOidcProvider((model) => new MemoryAdapter(model))
