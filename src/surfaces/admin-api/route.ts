import { z } from 'zod'
import {
  API_ROOT,
  type DescribedOperation,
  type Operation,
} from '../../domain/operation/operation.ts'
import type { JsonSchema } from './json-schema.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** The method and path of an operation in the REST API, with its description. */
export interface DescribedRoute {
  readonly method: Method
  /** Below the API's root; `{id}` names a member of the operation's input. */
  readonly path: string
  readonly operation: DescribedOperation
  /** Set if the body is a file: the members of the input that come from the query. */
  readonly fileWith?: readonly string[]
  /** Set if the body or the answer is a file of rows instead of one JSON value. */
  readonly rows?: RowFiles
}

export interface RowFiles {
  /** The content of the request or of the answer, by its media type. */
  readonly content: Readonly<Record<string, JsonSchema>>
  /** A name for the file in examples. */
  readonly file: string
}

/** The method and path of an operation in the REST API. */
export interface Route extends DescribedRoute {
  readonly operation: Operation
}

/** Which part of a request each member of the input comes from. */
export interface InputPlan {
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, QueryType>>
  readonly body: readonly string[]
  /** Taken from If-Match. */
  readonly version: boolean
}

export type QueryType = 'string' | 'integer' | 'boolean' | 'list'

export function planOf({ method, path, operation, fileWith }: DescribedRoute): InputPlan {
  const inPath = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name)
  const { shape } = operation.input
  const rest = Object.keys(shape).filter((name) => !inPath.includes(name) && name !== 'if_version')
  const inQuery = fileWith ?? (method === 'GET' ? rest : [])
  return {
    path: inPath,
    query: Object.fromEntries(inQuery.map((name) => [name, queryType(shape[name] as z.ZodType)])),
    body: method === 'GET' || fileWith !== undefined ? [] : rest,
    version: 'if_version' in shape,
  }
}

function queryType(schema: z.ZodType): QueryType {
  const { type } = z.toJSONSchema(schema, { io: 'input' })
  if (type === 'integer' || type === 'boolean') return type
  return type === 'array' ? 'list' : 'string'
}

/** The path in the syntax of the router. */
export function routerPath(path: string): string {
  return API_ROOT + path.replace(/\{([a-z_]+)\}/g, ':$1')
}

/** `courses` for `courses.publish`. */
export function resourceOf({ operation }: DescribedRoute): string {
  return operation.name.split('.')[0] ?? ''
}
