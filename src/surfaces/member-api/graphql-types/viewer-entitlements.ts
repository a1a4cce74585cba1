import {
  countProductsOf,
  type OwnedProduct,
  productsOf,
} from '../../../domain/commerce/bought-access.ts'
import {
  countRegistrationsOf,
  type MemberRegistration,
  type RegisteredEvent,
  registrationsOf,
} from '../../../domain/events/registrations-of-member.ts'
import {
  countEnrolledCoursesOf,
  enrolledCoursesOf,
} from '../../../domain/learning/enrolled-courses.ts'
import type { Builder, Ref, Viewer } from '../builder.ts'
import { openConnection, type PageInfo } from '../connections/connection.ts'
import { defineConnection, pageArgs, pageSizes } from '../connections/define-connection.ts'
import { LONG_TEXT } from '../documents/prices.ts'
import { defineCourse, defineLecture, defineSection } from './course.ts'
import { defineEnum, type VariantWords } from './scalars.ts'

const MAXIMUM = 100

export function addEnrolledCourses(
  builder: Builder,
  viewer: Ref<Viewer>,
  pageInfo: Ref<PageInfo>,
  words: VariantWords,
): void {
  const course = defineCourse(builder, defineSection(builder, defineLecture(builder)), words)
  const connection = defineConnection(builder, pageInfo, 'Course', course, 'enrolled courses')
  builder.objectField(viewer, 'enrolledCourses', (t) =>
    t.field({
      type: connection,
      description: `The courses that the viewer is enrolled in, latest enrollment first; courses whose access has ended stay in the list, courses whose access was revoked do not. ${words.entitlements}`,
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, { schoolDb: db, syllabuses }) =>
        openConnection(
          {
            name: 'enrolledCourses',
            maximum: MAXIMUM,
            read: async (range) =>
              syllabuses().withSyllabus(await enrolledCoursesOf(db, id, range)),
            count: () => countEnrolledCoursesOf(db, id),
          },
          args,
        ),
    }),
  )
}

export function addDigitalProducts(
  builder: Builder,
  viewer: Ref<Viewer>,
  pageInfo: Ref<PageInfo>,
  words: VariantWords,
): void {
  const product = defineDigitalProduct(builder, words)
  const connection = defineConnection(
    builder,
    pageInfo,
    'DigitalProduct',
    product,
    'digital products',
  )
  builder.objectField(viewer, 'digitalProducts', (t) =>
    t.field({
      type: connection,
      description: `The digital products that the viewer may have, latest first. ${words.entitlements}`,
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, { schoolDb: db }) =>
        openConnection(
          {
            name: 'digitalProducts',
            maximum: MAXIMUM,
            read: (range) => productsOf(db, id, range),
            count: () => countProductsOf(db, id),
          },
          args,
        ),
    }),
  )
}

export function addEventRegistrations(
  builder: Builder,
  viewer: Ref<Viewer>,
  pageInfo: Ref<PageInfo>,
  words: VariantWords,
): void {
  const registration = defineEventRegistration(builder, words)
  const connection = defineConnection(
    builder,
    pageInfo,
    'EventRegistration',
    registration,
    'event registrations',
  )
  builder.objectField(viewer, 'eventRegistrations', (t) =>
    t.field({
      type: connection,
      description: `The places that the viewer has at events, latest registration first. ${words.entitlements}`,
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, { schoolDb: db }) =>
        openConnection(
          {
            name: 'eventRegistrations',
            maximum: MAXIMUM,
            read: (range) => registrationsOf(db, id, range),
            count: () => countRegistrationsOf(db, id),
          },
          args,
        ),
    }),
  )
}

function defineDigitalProduct(builder: Builder, words: VariantWords): Ref<OwnedProduct> {
  return builder.objectRef<OwnedProduct>('DigitalProduct').implement({
    description: `Something to download that the viewer may have, bought or not. This tells that they may; the file itself is handed out by the school and not by this API. ${words.billing}`,
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the product.' }),
      slug: t.exposeString('slug', {
        description: 'Short name of the product, unique at its school.',
      }),
      title: t.exposeString('title', { description: 'Title of the product.' }),
      description: t.exposeString('description', {
        description: 'What it is, in Markdown without HTML.',
        extensions: LONG_TEXT,
      }),
      grantedAt: t.expose('grantedAt', {
        type: 'UnixTime',
        description: 'Since when the viewer may have it.',
      }),
    }),
  })
}

function defineEventRegistration(builder: Builder, words: VariantWords): Ref<MemberRegistration> {
  const event = defineEvent(builder)
  const state = defineEnum<MemberRegistration['state']>(
    builder,
    'EventRegistrationState',
    'State of a registration. Canceled ones are not listed.',
    { registered: 'The viewer has a place.', attended: 'The viewer was there.' },
  )
  return builder.objectRef<MemberRegistration>('EventRegistration').implement({
    description: `A place of the viewer at an event. ${words.billing}`,
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the registration.' }),
      state: t.expose('state', { type: state, description: 'State of the registration.' }),
      registeredAt: t.expose('registeredAt', {
        type: 'UnixTime',
        description: 'When the viewer registered.',
      }),
      event: t.expose('event', { type: event, description: 'The event itself.' }),
    }),
  })
}

function defineEvent(builder: Builder): Ref<RegisteredEvent> {
  const state = defineEnum<RegisteredEvent['state']>(
    builder,
    'EventState',
    'Whether an event takes place.',
    {
      draft: 'Not published, or no longer.',
      published: 'It takes place.',
      canceled: 'It was canceled; registrations for it stay in the list.',
    },
  )
  return builder.objectRef<RegisteredEvent>('Event').implement({
    description: 'A gathering with a start and an end, at a place or online.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the event.' }),
      slug: t.exposeString('slug', {
        description: 'Short name of the event, unique at its school.',
      }),
      title: t.exposeString('title', { description: 'Title of the event.' }),
      description: t.exposeString('description', {
        description: 'What it is about, in Markdown without HTML.',
        extensions: LONG_TEXT,
      }),
      state: t.expose('state', { type: state, description: 'Whether it takes place.' }),
      startsAt: t.expose('startsAt', { type: 'UnixTime', description: 'When it begins.' }),
      endsAt: t.expose('endsAt', { type: 'UnixTime', description: 'When it ends.' }),
      location: t.exposeString('location', {
        description: 'Where it is; empty if it is online only.',
      }),
      onlineUrl: t.exposeString('onlineUrl', {
        nullable: true,
        description: 'Where to join online; null if that is not possible.',
      }),
    }),
  })
}
