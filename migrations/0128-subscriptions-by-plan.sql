-- allow drops-index subscriptions_by_plan: subscriptions_of_plan begins with the same columns.
drop index if exists subscriptions_by_plan;
