import { z } from 'zod'

/** What reading and writing the cells of a column needs to know. */
export interface ColumnShape {
  readonly type: 'text' | 'integer' | 'boolean' | 'time' | 'json'
  readonly nullable: boolean
  readonly uuid: boolean
}

const shapes = new WeakMap<z.ZodType, ColumnShape>()

export function shapeOf(schema: z.ZodType | undefined): ColumnShape {
  if (schema === undefined) return { type: 'text', nullable: false, uuid: false }
  const known = shapes.get(schema)
  if (known !== undefined) return known
  const shape = readShape(schema)
  shapes.set(schema, shape)
  return shape
}

interface Described {
  readonly type?: string
  readonly format?: string
  readonly anyOf?: readonly Described[]
}

function readShape(schema: z.ZodType): ColumnShape {
  const described = z.toJSONSchema(schema, { io: 'input' }) as Described
  const options = described.anyOf ?? [described]
  const [value = {}] = options.filter(({ type }) => type !== 'null')
  return {
    type: typeOf(value),
    nullable: options.some(({ type }) => type === 'null'),
    uuid: value.format === 'uuid',
  }
}

function typeOf({ type, format }: Described): ColumnShape['type'] {
  if (type === 'integer' || type === 'boolean') return type
  if (type === 'string') return format === 'date-time' ? 'time' : 'text'
  return 'json'
}
