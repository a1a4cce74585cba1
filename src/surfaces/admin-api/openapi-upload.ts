import { fileName } from '../../domain/content/file-operations.ts'
import { type Components, type JsonSchema, jsonSchema } from './json-schema.ts'
import { UPLOAD_ROUTE } from './upload.ts'

/** What the description of a JSON operation cannot say: the body is the file. */
export function uploadRequest(components: Components): JsonSchema {
  return {
    parameters: [
      {
        name: 'name',
        in: 'query',
        required: true,
        schema: jsonSchema(fileName, 'input', components),
        example: 'syllabus.pdf',
      },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ],
    requestBody: {
      required: true,
      description: 'The bytes of the file, 50 MiB at most unless the server says otherwise.',
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    },
  }
}

export const isUpload = (path: string): boolean => path === UPLOAD_ROUTE.path
