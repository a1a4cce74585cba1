import type { FastifyInstance } from 'fastify'
import { type GraphQLSchema, introspectionFromSchema, printSchema } from 'graphql/index.js'
import type { SchoolVariant } from '../../domain/schools/school.ts'
import { once } from '../../foundation/cache/lru-cache.ts'
import { constantDocument, sendDocument, textDocument } from '../../foundation/http/conditional.ts'
import { DOCUMENTS } from '../../foundation/protocol/endpoints.ts'

const SECONDS = 300

/**
 * The schema for people and for generators of code, without a token: introspection needs one of a member. It has no data, and is
 * the same at all schools of a variant.
 */
export function addSchemaDocuments(
  app: FastifyInstance,
  schemaOf: (variant: SchoolVariant) => GraphQLSchema,
): void {
  const documents = {
    newer: once(() => documentsOf(schemaOf('newer'))),
    older: once(() => documentsOf(schemaOf('older'))),
  }
  app.get(DOCUMENTS.graphqlSchema, (request, reply) =>
    sendDocument(request, reply, documents[request.school.variant]().language),
  )
  app.get(DOCUMENTS.graphqlSchemaJson, (request, reply) =>
    sendDocument(request, reply, documents[request.school.variant]().json),
  )
}

function documentsOf(schema: GraphQLSchema) {
  return {
    language: textDocument(`${printSchema(schema)}\n`, {
      maxAgeSeconds: SECONDS,
      contentType: 'text/plain; charset=utf-8',
    }),
    json: constantDocument(introspectionFromSchema(schema), { maxAgeSeconds: SECONDS }),
  }
}
