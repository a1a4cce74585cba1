import type { FieldNode, ValueNode } from 'graphql/index.js'
import type { PageSizes } from '../connections/define-connection.ts'
import { type Cost, costWith, type Variables } from './cost.ts'

/** The number of nodes that a connection field asks for. */
export function pageSizeOf(node: FieldNode, sizes: PageSizes): Cost {
  const asked = (node.arguments ?? []).flatMap(({ name, value }) =>
    name.value === 'first' || name.value === 'last' ? [askedSize(value)] : [],
  )
  const choose = (variables: Variables): number => {
    const given = asked.map((size) => costWith(size, variables)).filter(Number.isFinite)
    const size = given.length === 0 ? sizes.default : Math.min(...given)
    return Math.min(Math.max(size, 0), sizes.maximum)
  }
  return asked.every((size) => typeof size === 'number') ? choose({}) : choose
}

/** Infinity if the argument was left out. */
function askedSize(value: ValueNode): Cost {
  if (value.kind === 'IntValue') return Number(value.value)
  if (value.kind !== 'Variable') return Number.POSITIVE_INFINITY
  const name = value.name.value
  return (variables) => {
    const given = variables[name]
    return typeof given === 'number' ? given : Number.POSITIVE_INFINITY
  }
}
