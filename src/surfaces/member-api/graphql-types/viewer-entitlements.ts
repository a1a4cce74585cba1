import { countProductsOf, productsOf } from '../../../domain/commerce/bought-access.ts'
import {
  countRegistrationsOf,
  registrationsOf,
} from '../../../domain/events/registrations-of-member.ts'
import {
  countEnrolledCoursesOf,
  enrolledCoursesOf,
} from '../../../domain/learning/enrolled-courses.ts'
import type { Builder, Ref } from '../builder.ts'
import { openConnection, type PageInfo } from '../connections/connection.ts'
import { defineConnection, pageArgs, pageSizes } from '../connections/define-connection.ts'
import type { Viewer } from '../member-context.ts'
import { defineCourse } from './course.ts'
import { defineDigitalProduct } from './digital-product.ts'
import { defineEventRegistration } from './event-registration.ts'
import { defineLecture } from './lecture.ts'
import { defineSection } from './section.ts'
import type { Signposts } from './signposts.ts'

const MAXIMUM = 100

export function addEnrolledCourses(
  builder: Builder,
  viewer: Ref<Viewer>,
  pageInfo: Ref<PageInfo>,
  signposts: Signposts,
): void {
  const course = defineCourse(builder, defineSection(builder, defineLecture(builder)), signposts)
  const connection = defineConnection(builder, pageInfo, 'Course', course, 'enrolled courses')
  builder.objectField(viewer, 'enrolledCourses', (t) =>
    t.field({
      type: connection,
      description: `The courses that the viewer is enrolled in, latest enrollment first; courses whose access has ended stay in the list, courses whose access was revoked do not. ${signposts.entitlements}`,
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, { at, syllabuses }) =>
        openConnection(
          {
            name: 'enrolledCourses',
            maximum: MAXIMUM,
            read: async (range) =>
              syllabuses().withSyllabus(await enrolledCoursesOf(at, id, range)),
            count: () => countEnrolledCoursesOf(at, id),
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
  signposts: Signposts,
): void {
  const product = defineDigitalProduct(builder, signposts)
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
      description: `The digital products that the viewer may have, latest first. ${signposts.entitlements}`,
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, { at }) =>
        openConnection(
          {
            name: 'digitalProducts',
            maximum: MAXIMUM,
            read: (range) => productsOf(at, id, range),
            count: () => countProductsOf(at, id),
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
  signposts: Signposts,
): void {
  const registration = defineEventRegistration(builder, signposts)
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
      description: `The places that the viewer has at events, latest registration first. ${signposts.entitlements}`,
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, { at }) =>
        openConnection(
          {
            name: 'eventRegistrations',
            maximum: MAXIMUM,
            read: (range) => registrationsOf(at, id, range),
            count: () => countRegistrationsOf(at, id),
          },
          args,
        ),
    }),
  )
}
