-- allow drops-index authorizations_by_app: authorizations_of_app has the same in rounds of access.
drop index if exists authorizations_by_app;
