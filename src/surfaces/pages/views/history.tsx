import type { HistoryPage } from '../../../domain/audit/read-audit.ts'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Empty, PageHead } from '../../../foundation/html/site-components.tsx'
import { TO_SETTINGS } from './account-paths.ts'
import { HistoryLine } from './history-words.tsx'
import { Pager } from './pager.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'

export const HISTORY_PATH = '/account/history'

interface HistoryProps extends SiteFrame, HistoryPage {
  isFirst: boolean
  timeZone: string
}

export function historyPage(props: HistoryProps): string {
  const { entries, timeZone } = props
  return sitePage({
    ...props,
    title: 'History',
    children: (
      <>
        <PageHead
          title="History"
          lead="What you allowed, ended and changed at this school, the latest first."
          up={TO_SETTINGS}
        />
        <section class="panel" aria-label="Entries">
          {entries.length === 0 ? (
            <Empty>
              <p>
                {props.isFirst
                  ? 'Nothing yet. An app that you allow or a new password appears here.'
                  : 'There is nothing older.'}
              </p>
            </Empty>
          ) : (
            <ul class="rows">
              {entries.map((entry) => (
                <li>
                  <div>
                    <p class="row-title">
                      <span>
                        <HistoryLine entry={entry} />
                      </span>
                    </p>
                    <p class="row-note">
                      <Moment at={entry.at} timeZone={timeZone} />
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </section>
        <Pager
          first={HISTORY_PATH}
          isFirst={props.isFirst}
          next={props.next && `${HISTORY_PATH}?before=${props.next}`}
          label="Older"
        >
          The latest entries are on the first page.
        </Pager>
      </>
    ),
  })
}
