import { defaultFieldResolver, type GraphQLSchema, isObjectType } from 'graphql/index.js'
import type { SchoolVariant } from '../../domain/schools/school.ts'
import { createBuilder } from './builder.ts'
import { definePageInfo } from './connections/define-connection.ts'
import { countObjects } from './documents/count-objects.ts'
import { defineMeetingState } from './graphql-types/meeting-state.ts'
import { addMutations } from './graphql-types/mutations.ts'
import { defineNotification } from './graphql-types/notification.ts'
import {
  defineNotificationChannel,
  defineNotificationSubscription,
} from './graphql-types/notification-subscription.ts'
import { defineScalars } from './graphql-types/scalars.ts'
import { defineSchool } from './graphql-types/school.ts'
import { signpostsOf } from './graphql-types/signposts.ts'
import { defineViewer } from './graphql-types/viewer.ts'
import { addAvatar } from './graphql-types/viewer-avatar.ts'
import { addConsultingMeetings, addConsultingServices } from './graphql-types/viewer-consulting.ts'
import {
  addDigitalProducts,
  addEnrolledCourses,
  addEventRegistrations,
} from './graphql-types/viewer-entitlements.ts'
import { addNotifications } from './graphql-types/viewer-notifications.ts'
import { addPayments } from './graphql-types/viewer-payments.ts'
import { noteFields } from './note-fields.ts'
import { guardRootFields, needsScope } from './scopes.ts'

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
  const signposts = signpostsOf(variant)
  addEnrolledCourses(builder, viewer, pageInfo, signposts)
  addDigitalProducts(builder, viewer, pageInfo, signposts)
  addConsultingServices(builder, viewer, pageInfo, meetingState, signposts)
  addEventRegistrations(builder, viewer, pageInfo, signposts)
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
        description: `The signed-in member. Needs account:read; ${signposts.withoutScope}.`,
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
