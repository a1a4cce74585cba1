import { RPC_ERRORS, type RpcCode } from '../../foundation/errors/rest-errors.ts'

/** A request that the protocol's machinery never sees. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal'
  readonly status: number
  readonly code: RpcCode
  readonly id: string | number | undefined

  constructor(status: number, code: RpcCode, message: string, id?: string | number) {
    super(message)
    this.status = status
    this.code = code
    this.id = id
  }
}

/** JSON-RPC's code where it has one; for all others it is the HTTP status. */
export function rpcCodeOf(status: number): RpcCode {
  if (status === 400) return '-32700'
  const code = String(status)
  return isRpcCode(code) ? code : '-32600'
}

export function isRpcCode(code: string): code is RpcCode {
  return Object.hasOwn(RPC_ERRORS, code)
}
