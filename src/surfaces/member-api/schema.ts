import type { FastifyInstance } from 'fastify'
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  introspectionFromSchema,
  isObjectType,
  printSchema,
} from 'graphql/index.js'
import { type ActivityKind, noteActivity } from '../../domain/grants/count-activity.ts'
import type { SchoolVariant } from '../../domain/schools/school.ts'
import { once } from '../../foundation/cache/lru-cache.ts'
import { constantDocument, sendDocument, textDocument } from '../../foundation/http/conditional.ts'
import { DOCUMENTS } from '../../foundation/protocol/endpoints.ts'
import { createBuilder, guardRootFields, type MemberContext, needsScope } from './builder.ts'
import { definePageInfo } from './connections/define-connection.ts'
import { countObjects } from './documents/count-objects.ts'
import { addMutations } from './graphql-types/mutations.ts'
import { defineMeetingState, defineScalars, variantWords } from './graphql-types/scalars.ts'
import { addAvatar, defineSchool, defineViewer } from './graphql-types/viewer.ts'
import { addConsultingMeetings, addConsultingServices } from './graphql-types/viewer-consulting.ts'
import {
  addDigitalProducts,
  addEnrolledCourses,
  addEventRegistrations,
} from './graphql-types/viewer-entitlements.ts'
import {
  addNotifications,
  defineNotification,
  defineNotificationChannel,
  defineNotificationSubscription,
} from './graphql-types/viewer-notifications.ts'
import { addPayments } from './graphql-types/viewer-payments.ts'

/** The schema of a variant. On older origins some fields and their types do not exist. */
export function buildMemberSchema(variant: SchoolVariant): GraphQLSchema {
  const builder = createBuilder()
  defineScalars(builder)
  const pageInfo = definePageInfo(builder)
  const meetingState = defineMeetingState(builder)
  const notification = defineNotification(builder)
  const channel = defineNotificationChannel(builder)
  const subscription = defineNotificationSubscription(builder, channel)
  const viewer = defineViewer(builder, defineSchool(builder))
  const words = variantWords(variant)
  addEnrolledCourses(builder, viewer, pageInfo, words)
  addDigitalProducts(builder, viewer, pageInfo, words)
  addConsultingServices(builder, viewer, pageInfo, meetingState, words)
  addEventRegistrations(builder, viewer, pageInfo, words)
  addNotifications(builder, viewer, pageInfo, notification, subscription)
  if (variant === 'newer') {
    addAvatar(builder, viewer)
    addConsultingMeetings(builder, viewer, pageInfo, meetingState)
    addPayments(builder, viewer, pageInfo)
  }
  builder.queryType({
    description: 'What a token with account:read may read.',
    fields: (t) => ({
      viewer: t.field({
        type: viewer,
        nullable: true,
        description: `The signed-in member. Needs account:read; ${words.withoutScope}.`,
        extensions: needsScope('account:read'),
        resolve: (_root, _args, { caller }) => caller.person,
      }),
    }),
  })
  addMutations(builder, notification, subscription, channel)
  const schema = builder.toSchema()
  guardRootFields(schema)
  leavePlainFields(schema)
  noteFields(schema)
  countObjects(schema)
  return schema
}

/** Compiled queries read a field that has no resolver directly from its object. */
function leavePlainFields(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      if (field.resolve === defaultFieldResolver) delete field.resolve
    }
  }
}

/** What the fields of the viewer read. */
const READS: Readonly<Record<string, ActivityKind>> = {
  id: 'profile',
  name: 'profile',
  email: 'profile',
  avatar: 'profile',
  schools: 'profile',
  enrolledCourses: 'courses',
  consultingServices: 'bookings',
  consultingMeetings: 'bookings',
  digitalProducts: 'digital_products',
  eventRegistrations: 'events',
  notifications: 'notifications',
  notificationSubscriptions: 'notifications',
  unreadNotificationCount: 'notifications',
  payments: 'payments',
}

const CHANGES: Readonly<Record<string, ActivityKind>> = {
  markNotificationRead: 'notifications',
  markAllNotificationsRead: 'notifications',
  updateNotificationSubscription: 'notifications',
}

type Resolver = GraphQLFieldResolver<unknown, MemberContext>
type Field = GraphQLField<unknown, MemberContext>

/**
 * Makes the fields of the viewer and the mutations count what they read and change, for the page of
 * connected apps. Throws for a field that says nothing of it, so that a new one cannot be served
 * uncounted. A field without a resolver reads nothing.
 */
function noteFields(schema: GraphQLSchema): void {
  const viewer = schema.getType('Viewer') as { getFields?(): Record<string, Field> } | undefined
  for (const field of Object.values(viewer?.getFields?.() ?? {})) {
    const kind = kindOf(READS, field.name)
    if (field.resolve !== undefined) field.resolve = reading(kind, field.resolve)
  }
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const kind = kindOf(CHANGES, field.name)
    if (field.resolve !== undefined) field.resolve = changing(kind, field.resolve)
  }
}

function kindOf(kinds: Readonly<Record<string, ActivityKind>>, field: string): ActivityKind {
  const kind = kinds[field]
  if (kind === undefined) throw new Error(`${field} does not say what it reads or changes`)
  return kind
}

function reading(kind: ActivityKind, resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    noteActivity(context.schoolDb, context.caller, kind, 'read')
    return resolve(source, args, context, info)
  }
}

function changing(kind: ActivityKind, resolve: Resolver): Resolver {
  return async (source, args, context, info) => {
    const result: unknown = await resolve(source, args, context, info)
    noteActivity(context.schoolDb, context.caller, kind, 'change')
    return result
  }
}

const SECONDS = 300

/**
 * The schema for people and for generators of code, without a token: introspection needs one of a
 * member. It has no data, and is the same at all schools of a variant.
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
