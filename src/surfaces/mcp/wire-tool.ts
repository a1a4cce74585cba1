import { z } from 'zod'
import type { Tool } from './tool.ts'

/** A tool as `tools/list` shows it. */
export interface WireTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly outputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly annotations: Tool['annotations'] & { readonly title: string }
}

/** Schemas are converted once, at start: doing it for each request would cost more than the rest. */
export function wireTool(tool: Tool): WireTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: jsonSchema(tool.output, 'output'),
    annotations: { title: tool.title, ...tool.annotations },
  }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): WireTool['inputSchema'] {
  const { type, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io })
  if (type !== 'object') throw new Error(`A tool's schema must describe an object, not ${type}.`)
  return { ...rest, type }
}
