/**
 * A request that the protocol's machinery never sees. The codes are JSON-RPC's where it has one; for
 * all others it is the HTTP status, which lies outside the range that JSON-RPC keeps for itself.
 */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal'
  readonly status: number
  readonly code: number
  readonly id: string | number | undefined

  constructor(status: number, code: number, message: string, id?: string | number) {
    super(message)
    this.status = status
    this.code = code
    this.id = id
  }
}
