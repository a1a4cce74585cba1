import type { FastifyInstance } from 'fastify'
import { publicPlans, publicProducts } from '../../../domain/commerce/public-offers.ts'
import { publicPages, publicPosts } from '../../../domain/content/public-writing.ts'
import { publicEventsToCome } from '../../../domain/events/public-events.ts'
import { publicCourses } from '../../../domain/learning/public-courses.ts'
import type { Keyed, KeysetRange } from '../../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { ListBody, type ListPage, readListPage } from '../frame/list-parts.tsx'
import { PUBLIC_LISTS, type PublicList } from '../frame/public-lists.ts'
import { visitOf } from '../frame/visit.ts'
import {
  courseRow,
  eventRow,
  type PublicRow,
  pageRow,
  planRow,
  postRow,
  productRow,
} from './public-rows.tsx'

/** The way back to a list. */
export const toList = ({ path, title }: PublicList) => ({ url: path, label: title })

type Titled = { readonly title: string } | { readonly name: string }

interface PublicListProps<R> extends SiteFrame {
  list: PublicList
  page: ListPage<R>
  timeZone: string
  row: PublicRow<R>
}

/** All that a school shows of one kind, one page of it. */
export function publicListPage<R extends Titled>({
  list,
  row,
  timeZone,
  page,
  ...frame
}: PublicListProps<R>) {
  return sitePage({
    ...frame,
    title: list.title,
    listed: page.isFirst && {
      path: list.path,
      description: page.rows
        .map((one) => plainText('title' in one ? one.title : one.name))
        .join(' · '),
    },
    children: (
      <ListBody
        {...list}
        page={page}
        up={{ url: '/', label: 'Home' }}
        empty={<p>{list.empty}</p>}
        row={(one) => row(one, { timeZone, heading: 'h2' })}
      />
    ),
  })
}

/** All that a school shows of one kind: the home page has the first ones. */
export function addPublicListRoutes(app: FastifyInstance, context: AppContext): void {
  function add<R extends Keyed & Titled>(
    kind: keyof typeof PUBLIC_LISTS,
    read: (db: SchoolDb, search: string, range: KeysetRange) => Promise<R[]>,
    row: PublicRow<R>,
  ): void {
    const list = PUBLIC_LISTS[kind]
    app.get(list.path, async (request, reply) => {
      const [visit, page] = await Promise.all([
        visitOf(context, request, reply),
        readListPage(request, `public ${kind}`, (range) => read(request.schoolDb, '', range)),
      ])
      const frame = visit.frame()
      const { timeZone } = request.school
      return visit.page(publicListPage({ ...frame, list, page, timeZone, row }))
    })
  }

  add('courses', publicCourses, courseRow)
  add('plans', publicPlans, planRow)
  add('products', publicProducts, productRow)
  add('events', publicEventsToCome, eventRow)
  add('posts', publicPosts, postRow)
  add('pages', publicPages, pageRow)
}
