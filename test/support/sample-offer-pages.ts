import { eventPage } from '../../src/surfaces/pages/site/events.tsx'
import { planPage, productPage } from '../../src/surfaces/pages/site/offers.tsx'
import { harbor, hostileName, school, student } from './sample-people.ts'
import { sampleCourse } from './sample-site-pages.ts'

const timeZone = 'Asia/Taipei'
const day = (text: string) => new Date(`${text}Z`)
const id = '01981c5e-7c00-7000-8000-0000000d0001'
const { description, html } = sampleCourse

const event = {
  id,
  slug: 'open-day',
  title: 'Open day',
  description: '',
  html: '',
  state: 'published' as const,
  startsAt: day('2026-12-05T10:00'),
  endsAt: day('2026-12-05T12:00'),
  location: 'Harbour Street 4',
  isOnline: true,
  capacity: 40,
  priceAmount: 0,
  currency: 'USD',
  isOver: false,
  isPublic: true,
  registrationCount: 12,
  registration: null,
  onlineUrl: null,
  canCancel: false,
}
const frame = { school, here: '/events/open-day' }
const visit = { ...frame, timeZone, event, isMember: false }
const registered = {
  ...event,
  registration: { id, state: 'registered' as const },
  onlineUrl: 'https://room.example/42',
  canCancel: true,
}
const member = { ...visit, school: harbor, viewer: student, isMember: true }

const plan = {
  id,
  slug: 'studio',
  name: 'Studio, yearly',
  description,
  html,
  interval: 'year' as const,
  isPublic: true,
  priceAmount: 12000,
  currency: 'USD',
  courses: ['Ink drawing', hostileName],
  shownCourses: [
    { slug: 'ink', title: 'Ink drawing' },
    { slug: 'other', title: hostileName },
  ],
  createdAt: day('2026-01-02T08:30'),
}

const product = {
  id,
  slug: 'workbook',
  title: 'The workbook',
  description,
  html: null,
  priceAmount: 900,
  currency: 'USD',
  createdAt: plan.createdAt,
  isOwned: false,
  isPublic: true,
  file: { id, name: `${hostileName}.pdf`, sizeBytes: 2_400_000 },
}

export const sampleOfferPages: Record<string, string> = {
  event: eventPage(visit),
  'event-to-register': eventPage({ ...member, event: { ...event, description, html } }),
  'event-registered': eventPage({ ...member, event: registered, notice: 'You have a place.' }),
  'event-paid': eventPage({
    ...visit,
    contactEmail: 'hello@harbor.example',
    event: { ...event, priceAmount: 4500 },
  }),
  'event-for-members': eventPage({
    ...{ ...member, isMember: false },
    contactEmail: 'hello@harbor.example',
  }),
  'event-full': eventPage({ ...member, event: { ...event, registrationCount: 40 } }),
  'event-canceled-of-mine': eventPage({ ...member, event: { ...registered, state: 'canceled' } }),
  plan: planPage({
    contactEmail: 'hello@harbor.example',
    ...frame,
    plan,
  }),
  product: productPage({ ...frame, product }),
  'product-of-mine': productPage({
    ...frame,
    viewer: student,
    product: { ...product, isOwned: true },
  }),
  'product-without-file': productPage({
    ...frame,
    viewer: student,
    product: { ...product, title: hostileName, description: '', isOwned: true, file: null },
  }),
}
