import { readFile, writeFile } from 'node:fs/promises'
import {
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql/index.js'
import { describe, expect, test } from 'vitest'
import {
  createBuilder,
  guardRootFields,
  scopeOf,
} from '../../../src/surfaces/member-api/builder.ts'
import { buildMemberSchema } from '../../../src/surfaces/member-api/schema.ts'
import { verifies } from '../../spec/verifies.ts'

const FOLDER = new URL('../../../src/surfaces/member-api/', import.meta.url)
const newer = buildMemberSchema('newer')
const older = buildMemberSchema('older')

/** Ignores the layout of the file: the test compares schemas. */
const printed = (schema: GraphQLSchema): string =>
  `${printSchema(lexicographicSortSchema(schema))}\n`

describe('the committed schema is the schema of the server (UPDATE_DOCS=1 rewrites it)', () => {
  for (const [file, schema] of [
    ['schema.graphql', newer],
    ['schema.older.graphql', older],
  ] as const) {
    verifies('viewer.schema.committed', `${file}`, async () => {
      const url = new URL(file, FOLDER)
      if (process.env.UPDATE_DOCS === '1') await writeFile(url, printed(schema))
      expect(printed(buildSchema(await readFile(url, 'utf8')))).toBe(printed(schema))
    })
  }
})

const ownTypes = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap()).filter(
    ({ name }) => !name.startsWith('__') && !['Int', 'String', 'Boolean', 'ID'].includes(name),
  )

test('every type, field, argument and enum value has a description', () => {
  const silent: string[] = []
  const check = (path: string, { description }: { description?: string | null | undefined }) => {
    if ((description ?? '').length < 6) silent.push(path)
  }
  for (const type of ownTypes(newer)) {
    check(type.name, type)
    if (isEnumType(type)) {
      for (const value of type.getValues()) check(`${type.name}.${value.name}`, value)
    }
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields()))
        check(`${type.name}.${field.name}`, field)
    }
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      check(`${type.name}.${field.name}`, field)
      for (const arg of field.args) check(`${type.name}.${field.name}(${arg.name})`, arg)
    }
  }
  expect(silent).toEqual([])
})

test('descriptions on older origins do not mention fields that are missing there', () => {
  const printedOlder = printSchema(older).replaceAll('such as payments', '')
  expect(printedOlder).not.toMatch(/payments|consultingMeetings|avatar/)
})

const rootFields = (schema: GraphQLSchema) =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}),
  )

verifies(
  ['member.scopes.on-root-fields', 'scope.account-read', 'scope.account-write'],
  'viewer needs account:read, each mutation account:write, and all of them are nullable',
  () => {
    for (const schema of [newer, older]) {
      expect(rootFields(schema).map((field) => [field.name, scopeOf(field)])).toEqual([
        ['viewer', 'account:read'],
        ['markAllNotificationsRead', 'account:write'],
        ['markNotificationRead', 'account:write'],
        ['updateNotificationSubscription', 'account:write'],
      ])
      for (const field of rootFields(schema)) expect(String(field.type)).not.toMatch(/!$/)
    }
  },
)

verifies(
  'member.scopes.deny-by-default',
  'a schema with a root field without a declared scope cannot be built',
  () => {
    const builder = createBuilder()
    builder.queryType({ fields: (t) => ({ secret: t.string({ resolve: () => 'secret' }) }) })
    expect(() => guardRootFields(builder.toSchema())).toThrow(/Query\.secret declares no scope/)
  },
)

verifies('notification.nothing-else-writable', 'there are exactly three mutations', () => {
  expect(Object.keys(newer.getMutationType()?.getFields() ?? {})).toHaveLength(3)
  expect(newer.getSubscriptionType()).toBeUndefined()
})

const fieldsOf = (schema: GraphQLSchema, name: string): string[] => {
  const type = schema.getType(name)
  return isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()).sort() : []
}

verifies(['older.viewer.fields', 'older.viewer.absent'], 'the older viewer is smaller', () => {
  const absent = ['avatar', 'consultingMeetings', 'payments']
  expect(fieldsOf(older, 'Viewer')).toEqual(
    fieldsOf(newer, 'Viewer').filter((name) => !absent.includes(name)),
  )
  for (const type of ['Payment', 'PaymentConnection', 'ConsultingMeeting', 'Invoice']) {
    expect(older.getType(type)).toBeUndefined()
  }
})

verifies(
  [
    'viewer.type-names',
    'meeting.fields',
    'consulting-service.reserved-meeting',
    'consulting-service.meetings.unmarked',
    'notification.fields',
    'notification.subscription.fields',
    'viewer.school.fields',
    'course.progress.fields',
    'course.id-and-title',
    'connection.shape',
  ],
  'types have the documented names and fields',
  () => {
    expect(fieldsOf(newer, 'Viewer')).toEqual([
      'avatar',
      'consultingMeetings',
      'consultingServices',
      'digitalProducts',
      'email',
      'enrolledCourses',
      'eventRegistrations',
      'id',
      'name',
      'notificationSubscriptions',
      'notifications',
      'payments',
      'schools',
      'unreadNotificationCount',
    ])
    expect(fieldsOf(newer, 'Course')).toEqual(
      'detailProgress expireDate hasLifetimeAccess id lastWatchedLecture sections slug title'.split(
        ' ',
      ),
    )
    expect(fieldsOf(newer, 'Lecture')).toEqual(
      'duration id isLocked state title unlockAt'.split(' '),
    )
    expect(fieldsOf(newer, 'ConsultingMeeting')).toEqual(
      'attendeesCount endedAt id kind roomUrl startedAt state title'.split(' '),
    )
    expect(fieldsOf(newer, 'ReservedMeeting')).toEqual(['endedAt', 'startedAt', 'state'])
    expect(fieldsOf(newer, 'ConsultingMeetingFilter')).toEqual([
      'endedAfter',
      'endedBefore',
      'startedAfter',
      'startedBefore',
      'state',
    ])
    expect(fieldsOf(newer, 'Notification')).toEqual(
      'body createdAt id kind readAt title url'.split(' '),
    )
    expect(fieldsOf(newer, 'NotificationSubscription')).toEqual(['channel', 'enabled', 'topic'])
    expect(fieldsOf(newer, 'School')).toEqual(['id', 'name', 'roles', 'subdomain', 'url'])
    expect(fieldsOf(newer, 'DetailProgress')).toEqual([
      'completedLectures',
      'percent',
      'totalLectures',
    ])
    expect(fieldsOf(newer, 'PaymentConnection')).toEqual([
      'edges',
      'nodes',
      'pageInfo',
      'totalCount',
    ])
    expect(fieldsOf(newer, 'PageInfo')).toEqual([
      'endCursor',
      'hasNextPage',
      'hasPreviousPage',
      'startCursor',
    ])
  },
)

const valuesOf = (name: string): string[] => {
  const type = newer.getType(name)
  return isEnumType(type) ? type.getValues().map((value) => value.name) : []
}

verifies(
  [
    'lecture.state',
    'meeting.state',
    'payment.state.values',
    'payment.refunding.values',
    'payment.type.values',
    'notification.subscription.channels',
  ],
  'enums have exactly the documented values, in lower case',
  () => {
    expect(valuesOf('LectureState').sort()).toEqual(['completed', 'read', 'unread'])
    expect(valuesOf('ConsultingMeetingState').sort()).toEqual([
      'available',
      'canceled',
      'scheduled',
    ])
    expect(valuesOf('PaymentState').sort()).toEqual(
      'expired failed paid pending refunded'.split(' '),
    )
    expect(valuesOf('RefundingState').sort()).toEqual(
      'none partially_refunded refunded rejected requested'.split(' '),
    )
    expect(valuesOf('PaymentType').sort()).toEqual(
      'atm convenience_store credit_card free'.split(' '),
    )
    expect(valuesOf('NotificationChannel').sort()).toEqual(['email', 'in_app'])
  },
)

verifies(
  ['viewer.entitlements.no-billing', 'payment.retry.unlinked'],
  'entitlements have no billing fields, and payments no entitlement fields',
  () => {
    const billing = /order|coupon|refund|invoice|payment|purchase|amount|price/i
    for (const type of ['Course', 'DigitalProduct', 'EventRegistration', 'Event']) {
      expect(fieldsOf(newer, type).filter((name) => billing.test(name))).toEqual([])
    }
    const purchase = /order|purchase|attempt|previous|retry|checkout|^id$/i
    expect(fieldsOf(newer, 'Payment').filter((name) => purchase.test(name))).toEqual([])
  },
)

verifies(
  'consulting-service.meetings.described',
  'the schema warns that the meetings of a service are not the bookings of the viewer',
  () => {
    const service = newer.getType('ConsultingService')
    const meetings = isObjectType(service) ? service.getFields().meetings : undefined
    expect(meetings?.description).toMatch(/never show them as "my bookings"/)
  },
)

verifies(
  ['viewer.plain-lists', 'course.plain-lists', 'payment.plain-lists'],
  'schools, subscriptions, sections, lectures, lineitems and adjustments are plain lists',
  () => {
    const typeOf = (parent: string, field: string): string => {
      const type = newer.getType(parent)
      return isObjectType(type) ? String(type.getFields()[field]?.type) : ''
    }
    expect(typeOf('Viewer', 'schools')).toBe('[School!]!')
    expect(typeOf('Viewer', 'notificationSubscriptions')).toBe('[NotificationSubscription!]!')
    expect(typeOf('Course', 'sections')).toBe('[Section!]!')
    expect(typeOf('Section', 'lectures')).toBe('[Lecture!]!')
    expect(typeOf('Payment', 'lineitems')).toBe('[PaymentLineitem!]!')
    expect(typeOf('Payment', 'adjustments')).toBe('[PaymentAdjustment!]!')
    expect(typeOf('ConsultingService', 'meetings')).toBe('[ReservedMeeting!]!')
    expect(typeOf('ConsultingService', 'slots')).toBe('[ConsultingSlot!]!')
  },
)
