import {
  type ASTVisitor,
  GraphQLInt,
  type OperationDefinitionNode,
  specifiedRules,
  type TypeNode,
  type ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
} from 'graphql/index.js'
import { UNIX_TIME } from '../graphql-types/scalars.ts'

/** The rules of GraphQL, except that a variable declared `Int` may be used as a `UnixTime`. */
export const VALIDATION_RULES: readonly ValidationRule[] = specifiedRules.map((rule) =>
  rule === VariablesInAllowedPositionRule ? variablesInAllowedPosition : rule,
)

/**
 * The time bounds of the meeting filter were `Int` in the first release, and documents in use declare
 * their variables so. GraphQL's own rule checks all other uses of variables.
 */
function variablesInAllowedPosition(context: ValidationContext): ASTVisitor {
  const usages: ValidationContext['getRecursiveVariableUsages'] = (operation) => {
    const ints = intVariablesOf(operation)
    return context
      .getRecursiveVariableUsages(operation)
      .filter(({ type, node }) => String(type) !== UNIX_TIME || !ints.has(node.name.value))
  }
  return VariablesInAllowedPositionRule(
    Object.create(context, { getRecursiveVariableUsages: { value: usages } }),
  )
}

function intVariablesOf({ variableDefinitions = [] }: OperationDefinitionNode): Set<string> {
  const ints = variableDefinitions.filter(({ type }) => nameOf(type) === GraphQLInt.name)
  return new Set(ints.map(({ variable }) => variable.name.value))
}

/** The name of a type that is no list. */
function nameOf(type: TypeNode): string | undefined {
  if (type.kind === 'NonNullType') return nameOf(type.type)
  return type.kind === 'NamedType' ? type.name.value : undefined
}
