-- allow drops-index authorizations_by_app: authorizations_live_by_app has the same without the authorizations that were ended.
drop index if exists authorizations_by_app;
