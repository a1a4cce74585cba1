import {
  type Operation,
  type ReadOperation,
  restPathOf,
  type WriteOperation,
} from '../../domain/operation/operation.ts'
import type { Method, Route } from './route.ts'

interface Collection {
  readonly list?: ReadOperation
  readonly create?: WriteOperation
}

/** The operations of one resource. All names except these five are actions on one object. */
interface ResourceOperations extends Collection {
  readonly read: ReadOperation
  readonly change?: WriteOperation
  readonly remove?: WriteOperation
  readonly [action: string]: Operation | undefined
}

/** The routes of a resource, at the path that the resource states. */
export function routesOf(operations: ResourceOperations): readonly Route[] {
  const { list: _list, create: _create, read, change, remove, ...actions } = operations
  const one = restPathOf(read)
  return [
    ...collectionAt(collectionOf(one), operations),
    ...routeTo('GET', one, read),
    ...routeTo('PATCH', one, change),
    ...routeTo('DELETE', one, remove),
    ...Object.entries(actions).flatMap(([name, operation]) =>
      routeTo('POST', `${one}/${name}`, operation),
    ),
  ]
}

/** A list that belongs to an object of another resource. */
export function routesUnder(
  parent: ReadOperation,
  path: string,
  operations: Collection,
): readonly Route[] {
  return collectionAt(`${collectionOf(restPathOf(parent))}/${path}`, operations)
}

function collectionAt(path: string, { list, create }: Collection): readonly Route[] {
  return [...routeTo('GET', path, list), ...routeTo('POST', path, create)]
}

function routeTo(method: Method, path: string, operation: Operation | undefined): readonly Route[] {
  return operation === undefined ? [] : [{ method, path, operation }]
}

function collectionOf(path: string): string {
  return path.replace('/{id}', '')
}
