import { z } from 'zod'

/** All four hints, because the protocol's own defaults call every tool destructive and open-ended. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export interface ToolDescription<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
> {
  readonly name: string
  readonly title: string
  /** For the model that chooses: what it gives, and what it changes. */
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly input: I
  readonly output: O
}

type ObjectSchema = { readonly type: 'object'; readonly [key: string]: unknown }

/** A tool as `tools/list` shows it. */
export interface WireTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: ToolAnnotations & { readonly title: string }
}

/** Converting schemas costs more than the rest of a request, so whoever calls this keeps what it gives. */
export function wireTool(tool: ToolDescription): WireTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: jsonSchema(tool.output, 'output'),
    annotations: { title: tool.title, ...tool.annotations },
  }
}

function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  return { ...z.toJSONSchema(schema, { target: 'draft-2020-12', io }), type: 'object' }
}
