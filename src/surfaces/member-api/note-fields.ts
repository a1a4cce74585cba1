import type { GraphQLField, GraphQLFieldResolver, GraphQLSchema } from 'graphql/index.js'
import { type ActivityKind, noteActivity } from '../../domain/grants/count-activity.ts'
import type { MemberContext } from './member-context.ts'

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
 * Makes the fields of the viewer and the mutations count what they read and change, for the page of connected apps. Throws
 * for a field that says nothing of it, so that a new one cannot be served uncounted. A field without a resolver reads nothing.
 */
export function noteFields(schema: GraphQLSchema): void {
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
    noteActivity(context.at, context.caller, kind, 'read')
    return resolve(source, args, context, info)
  }
}

function changing(kind: ActivityKind, resolve: Resolver): Resolver {
  return async (source, args, context, info) => {
    const result: unknown = await resolve(source, args, context, info)
    noteActivity(context.at, context.caller, kind, 'change')
    return result
  }
}
