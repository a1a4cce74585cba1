import type { BulkKind, ExportKind } from '../bulk/kind.ts'
import {
  accessKind,
  couponKind,
  planKind,
  productKind,
  subscriptionKind,
} from '../commerce/offer-bulk.ts'
import { orderKind } from '../commerce/order-bulk.ts'
import { paymentKind } from '../commerce/payment-bulk.ts'
import {
  attendeeKind,
  meetingKind,
  rosterKind,
  serviceKind,
  slotKind,
  studyGroupKind,
} from '../consulting/consulting-bulk.ts'
import { formKind, pageKind, postKind, submissionKind } from '../content/content-bulk.ts'
import { eventKind, registrationKind } from '../events/event-bulk.ts'
import {
  commentKind,
  courseKind,
  lectureKind,
  lecturerKind,
  sectionKind,
} from '../learning/course-bulk.ts'
import { enrollmentKind, progressKind } from '../learning/progress-bulk.ts'
import {
  notificationKind,
  notificationSubscriptionKind,
} from '../notifications/notification-bulk.ts'
import { memberKind, studentKind } from '../people/people-bulk.ts'

/**
 * Everything that can be imported and exported, in an order in which each finds what it refers to.
 */
export const BULK_KINDS: readonly BulkKind[] = [
  memberKind,
  studentKind,
  lecturerKind,
  courseKind,
  sectionKind,
  lectureKind,
  enrollmentKind,
  progressKind,
  commentKind,
  couponKind,
  planKind,
  subscriptionKind,
  productKind,
  accessKind,
  eventKind,
  registrationKind,
  orderKind,
  paymentKind,
  serviceKind,
  slotKind,
  studyGroupKind,
  meetingKind,
  postKind,
  pageKind,
  formKind,
  submissionKind,
  notificationKind,
  notificationSubscriptionKind,
]

/** Everything that can be exported. */
export const EXPORT_KINDS: readonly ExportKind[] = [...BULK_KINDS, attendeeKind, rosterKind]

export function findKind(name: string): BulkKind | undefined {
  return BULK_KINDS.find((kind) => kind.name === name)
}
